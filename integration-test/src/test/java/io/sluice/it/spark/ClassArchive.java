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
 * Class data sharing archive (JEP 310) with the classes of Spark and of the plugin, which saves a
 * third of the CPU of an application's JVMs. The JVMs of the first application of a build list
 * their loaded classes; the archive is created after it ends. A JVM with other jars ignores the
 * archive.
 *
 * <p>Several processes may use one directory.
 */
final class ClassArchive {
  private final Path directory;
  private final Path archive;
  private final String classPath;
  private final List<Path> jars;

  /**
   * @param directory directory for archive and lists; created here
   * @param classPath prefix of the class path of every JVM that uses the archive
   * @param jars the archive is recreated if it is older than one of these jars
   */
  ClassArchive(Path directory, String classPath, List<Path> jars) {
    this.directory = directory;
    this.archive = directory.resolve("classes.jsa");
    this.classPath = classPath;
    this.jars = List.copyOf(jars);
  }

  /** Options with which a JVM uses the archive, or lists its classes for it. */
  List<String> jvmOptions() throws IOException {
    if (isCurrent()) {
      return List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:cds=off");
    }
    return List.of("-XX:DumpLoadedClassList=" + Files.createDirectories(lists()).resolve("%p"));
  }

  /** Creates the archive from the lists, unless it exists or another process creates it. */
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
      throw new IOException("class archive was not created: see " + directory.resolve("log"));
    }
    Files.move(unfinished, archive, StandardCopyOption.ATOMIC_MOVE);
  }

  private Set<String> listed() throws IOException {
    Set<String> classes = new LinkedHashSet<>();
    try (Stream<Path> lists = Files.list(lists())) {
      for (Path list : lists.toList()) {
        List<String> lines = new ArrayList<>(Files.readAllLines(list));
        if (!lines.isEmpty()) {
          // A killed JVM may have written an incomplete last line.
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
