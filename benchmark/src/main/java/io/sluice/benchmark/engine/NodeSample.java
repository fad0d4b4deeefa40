package io.sluice.benchmark.engine;

import io.sluice.localcluster.ClusterNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Memory, descriptors, threads and files of a process of a cluster at one time, from {@code /proc}
 * and its directory.
 *
 * @param seconds since the start of the run
 * @param pid changes when the process is restarted
 * @param residentBytes resident memory
 * @param descriptors open file descriptors
 * @param files in its directory
 * @param fileBytes size of these files
 * @param catalogBytes size of the files of its catalogs; 0 for a coordinator
 */
record NodeSample(
    String node,
    long seconds,
    long pid,
    long residentBytes,
    int descriptors,
    int threads,
    int files,
    long fileBytes,
    long catalogBytes) {
  static final String CSV_HEADING =
      "node,seconds,pid,resident_bytes,descriptors,threads,files,file_bytes,catalog_bytes";

  /** Name of the directory of a catalog, in a data directory of a server. */
  private static final Path CATALOG = Path.of("catalog");

  /** A sample of a running process; empty if it does not run. */
  static Optional<NodeSample> of(ClusterNode node, long seconds) throws IOException {
    if (!node.isAlive()) {
      return Optional.empty();
    }
    long pid = node.pid();
    Path process = Path.of("/proc", Long.toString(pid));
    try {
      List<String> status = Files.readAllLines(process.resolve("status"));
      int descriptors = count(process.resolve("fd"));
      List<Path> files = files(node.directory());
      return Optional.of(
          new NodeSample(
              node.name(),
              seconds,
              pid,
              number(status, "VmRSS:") << 10,
              descriptors,
              (int) number(status, "Threads:"),
              files.size(),
              bytes(files),
              bytes(files.stream().filter(file -> CATALOG.equals(nameOfParent(file))).toList())));
    } catch (NoSuchFileException | UncheckedIOException ended) {
      return Optional.empty();
    }
  }

  private static long bytes(List<Path> files) {
    return files.stream().mapToLong(file -> file.toFile().length()).sum();
  }

  private static Path nameOfParent(Path file) {
    return file.getParent().getFileName();
  }

  private static int count(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return (int) entries.count();
    }
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile).toList();
    }
  }

  private static long number(List<String> status, String key) {
    return status.stream()
        .filter(line -> line.startsWith(key))
        .map(line -> line.substring(key.length()).strip().split(" ", 2)[0])
        .mapToLong(Long::parseLong)
        .findFirst()
        .orElse(0);
  }

  String csv() {
    return String.format(
        Locale.ROOT,
        "%s,%d,%d,%d,%d,%d,%d,%d,%d",
        node,
        seconds,
        pid,
        residentBytes,
        descriptors,
        threads,
        files,
        fileBytes,
        catalogBytes);
  }
}
