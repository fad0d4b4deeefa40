package io.sluice.it.cluster;

import io.sluice.localcluster.ClassDataArchive;
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
 * Class data archive (JEP 310) for the processes that tests start, which saves a third of the CPU
 * of a Spark application's JVMs, and half of that of a server's start. It is created from a given
 * list of classes, or from those that the first JVMs load. A JVM with other jars ignores the
 * archive.
 *
 * <p>Several processes may use one directory.
 */
public final class ClassArchive {
  private final Path directory;
  private final Path archive;
  private final String classPath;
  private final List<Path> sources;

  /**
   * @param directory directory for archive and lists; created here
   * @param classPath prefix of the class path of every JVM that uses the archive
   * @param sources the archive is recreated if it is older than one of these files
   */
  public ClassArchive(Path directory, String classPath, List<Path> sources) {
    this.directory = directory;
    this.archive = directory.resolve("classes.jsa");
    this.classPath = classPath;
    this.sources = List.copyOf(sources);
  }

  /** Options with which a JVM uses the archive, or lists its classes for it. */
  public List<String> jvmOptions() throws IOException {
    if (isCurrent()) {
      return new ClassDataArchive(archive).jvmOptions();
    }
    return List.of("-XX:DumpLoadedClassList=" + Files.createDirectories(lists()).resolve("%p"));
  }

  /** The archive of a list of classes. Waits while another process creates it. */
  public ClassDataArchive ofList(Path list) throws IOException, InterruptedException {
    if (!isCurrent()) {
      Files.createDirectories(directory);
      try (FileChannel channel = openLock();
          FileLock lock = channel.lock()) {
        if (!isCurrent()) {
          make(list);
        }
      }
    }
    return new ClassDataArchive(archive);
  }

  /** Creates the archive from the lists, unless it exists or another process creates it. */
  public void makeOfLists() throws IOException, InterruptedException {
    if (isCurrent() || !Files.isDirectory(lists())) {
      return;
    }
    try (FileChannel channel = openLock();
        FileLock lock = channel.tryLock()) {
      if (lock != null && !isCurrent()) {
        make(Files.write(directory.resolve("classes"), listed()));
      }
    }
  }

  private FileChannel openLock() throws IOException {
    return FileChannel.open(
        directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  private void make(Path list) throws IOException, InterruptedException {
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
    try {
      if (process.waitFor() != 0) {
        throw new IOException("class archive was not created: see " + directory.resolve("log"));
      }
    } finally {
      // If the wait was interrupted, another process may create the archive now.
      process.destroyForcibly();
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
    for (Path source : sources) {
      if (Files.getLastModifiedTime(source).compareTo(Files.getLastModifiedTime(archive)) > 0) {
        return false;
      }
    }
    return true;
  }
}
