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
 * What a process of a cluster holds at one time, from {@code /proc} and its directory.
 *
 * @param seconds since the start of the run
 * @param pid changes when the process is restarted
 * @param residentBytes resident memory
 * @param descriptors open file descriptors
 * @param files in its directory
 * @param fileBytes size of these files
 */
record NodeSample(
    String node,
    long seconds,
    long pid,
    long residentBytes,
    int descriptors,
    int threads,
    int files,
    long fileBytes) {
  static final String CSV_HEADING =
      "node,seconds,pid,resident_bytes,descriptors,threads,files,file_bytes";

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
              files.stream().mapToLong(file -> file.toFile().length()).sum()));
    } catch (NoSuchFileException | UncheckedIOException ended) {
      return Optional.empty();
    }
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
        "%s,%d,%d,%d,%d,%d,%d,%d",
        node,
        seconds,
        pid,
        residentBytes,
        descriptors,
        threads,
        files,
        fileBytes);
  }
}
