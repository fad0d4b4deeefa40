package io.sluice.it.spark;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Classes of Spark and of the plugin as the JVM maps them ("class data sharing", JEP 310), which
 * spares the JVMs of an application a third of their CPU. The first application of a build lists
 * what its JVMs load; the archive is made when it has ended. A JVM whose jars are not those of the
 * archive loads classes from the jars as usual.
 *
 * <p>Several processes may use one directory.
 */
final class ClassArchive {
  private final Path directory;
  private final Path archive;
  private final String classPath;
  private final List<Path> jars;

  /**
   * @param directory for archive and lists; made here
   * @param classPath with which the class path of every JVM begins that uses the archive
   * @param jars an archive that is older than one of these is made anew
   */
  ClassArchive(Path directory, String classPath, List<Path> jars) {
    this.directory = directory;
    this.archive = directory.resolve("classes.jsa");
    this.classPath = classPath;
    this.jars = List.copyOf(jars);
  }

  /** With which a JVM uses the archive, or lists its classes for it. */
  List<String> jvmOptions() throws IOException {
    if (isCurrent()) {
      return List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:cds=off");
    }
    return List.of("-XX:DumpLoadedClassList=" + Files.createDirectories(lists()).resolve("%p"));
  }

  /** Makes the archive of what was listed, unless there is one or another process makes it. */
  void makeOfLists() throws IOException, InterruptedException {
    if (isCurrent() || !Files.isDirectory(lists())) {
      return;
    }
    try (FileChannel channel =
            FileChannel.open(
                directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      if (lock != null && !isCurrent()) {
        make();
      }
    }
  }

  private void make() throws IOException, InterruptedException {
    Path list = Files.write(directory.resolve("classes"), listed());
    Path unfinished = directory.resolve("unfinished.jsa");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xshare:dump",
                "-XX:+UseSerialGC",
                "-XX:SharedClassListFile=" + list,
                "-XX:SharedArchiveFile=" + unfinished,
                "-cp",
                classPath)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile())
            .start();
    if (process.waitFor() != 0) {
      throw new IOException("no archive of classes was made: see " + directory.resolve("log"));
    }
    Files.move(unfinished, archive, StandardCopyOption.ATOMIC_MOVE);
  }

  private Set<String> listed() throws IOException {
    Set<String> classes = new LinkedHashSet<>();
    try (Stream<Path> lists = Files.list(lists())) {
      for (Path list : lists.toList()) {
        List<String> lines = new ArrayList<>(Files.readAllLines(list));
        if (!lines.isEmpty()) {
          // A JVM that was killed has written a part of its last line.
          lines.remove(lines.size() - 1);
        }
        classes.addAll(lines);
      }
    }
    return classes;
  }

  private Path lists() {
    return directory.resolve("lists");
  }

  private boolean isCurrent() throws IOException {
    if (!Files.exists(archive)) {
      return false;
    }
    for (Path jar : jars) {
      if (Files.getLastModifiedTime(jar).compareTo(Files.getLastModifiedTime(archive)) > 0) {
        return false;
      }
    }
    return true;
  }
}
