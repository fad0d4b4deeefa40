package io.sluice.cli;

import io.sluice.localcluster.ClassDataArchive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Writes class data archives. An archive replaces an existing one only after a JVM has run with it.
 *
 * @param java command of the JVM that writes the archive and will use it
 * @param classPath jars that a JVM with the archive has at the start of its class path
 * @param classList classes of the archive, one per line, in the format of {@code
 *     -XX:DumpLoadedClassList}. Names without a class are ignored
 */
record ArchiveWriter(Path java, String classPath, Path classList) {
  private static final long TIMEOUT_SECONDS = 300;
  private static final int LAST_LINES = 5;

  /**
   * Writes an archive.
   *
   * @param command main class and arguments of a program that must succeed with the archive
   * @throws IOException if the JVM does not write the archive or cannot use it
   */
  void write(Path archive, String... command) throws IOException, InterruptedException {
    if (!Files.isReadable(classList)) {
      throw new IOException("cannot read the list of classes " + classList);
    }
    Path parent = Files.createDirectories(archive.toAbsolutePath().getParent());
    // In the directory of the archive, so that it can be renamed.
    Path work = Files.createTempDirectory(parent, ".archive");
    Path unfinished = work.resolve("unfinished.jsa");
    Path log = work.resolve("log");
    try {
      run(
          log,
          "-Xshare:dump",
          // Includes objects of the heap, which every collector can use.
          "-XX:+UseG1GC",
          "-Xmx256m",
          "-XX:SharedClassListFile=" + classList,
          "-XX:SharedArchiveFile=" + unfinished);
      List<String> trial = new ArrayList<>(new ClassDataArchive(unfinished).jvmOptions());
      // Fails if the archive is not usable.
      trial.add("-Xshare:on");
      trial.add("-Xmx256m");
      run(log, trial, command);
      Files.move(
          unfinished, archive, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(unfinished);
      Files.deleteIfExists(log);
      Files.deleteIfExists(work);
    }
  }

  private void run(Path log, String... options) throws IOException, InterruptedException {
    run(log, List.of(options));
  }

  private void run(Path log, List<String> options, String... mainClass)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(java.toString()));
    command.addAll(options);
    command.addAll(List.of("-cp", classPath));
    command.addAll(List.of(mainClass));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      process.getOutputStream().close();
      if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
        throw new IOException(
            "the JVM that writes the class data archive was killed after "
                + TIMEOUT_SECONDS
                + " s");
      }
      if (process.exitValue() != 0) {
        throw new IOException(
            "the class data archive was not created: exit code "
                + process.exitValue()
                + ": "
                + lastLines(log));
      }
    } finally {
      process.destroyForcibly();
    }
  }

  private static String lastLines(Path log) throws IOException {
    try (Stream<String> lines = Files.lines(log)) {
      List<String> all = lines.filter(line -> !line.isBlank()).toList();
      return all.stream()
          .skip(Math.max(0, all.size() - LAST_LINES))
          .collect(Collectors.joining("; "));
    }
  }
}
