package io.sluice.demo.yarn;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The jars of a Hadoop with YARN, its mini cluster and its example programs.
 *
 * @param entries of a class path; {@code directory/*} stands for all jars of a directory
 */
public record HadoopHome(List<String> entries) {
  private static final List<String> DIRECTORIES =
      List.of(
          "common",
          "common/lib",
          "hdfs",
          "hdfs/lib",
          "mapreduce",
          "yarn",
          "yarn/lib",
          "yarn/timelineservice");

  /** Jars in directories with more than is wanted, below {@code share/hadoop}. */
  private static final List<Found> SINGLE =
      List.of(
          new Found("yarn/test", "hadoop-yarn-server-tests-", "-tests.jar"),
          new Found("tools/lib", "hadoop-streaming-", ".jar"));

  private record Found(String directory, String prefix, String suffix) {}

  public HadoopHome {
    entries = List.copyOf(entries);
  }

  /**
   * What a build has resolved.
   *
   * @param list file with one class path
   * @param links directory that gets a link to each jar, so that class paths of processes stay
   *     short; made here
   */
  public static HadoopHome resolved(Path list, Path links) throws IOException {
    Files.createDirectories(links);
    for (String jar : Files.readString(list).strip().split(File.pathSeparator, -1)) {
      Path target = Path.of(jar);
      Path link = links.resolve(target.getFileName());
      if (!Files.exists(link)) {
        Files.createSymbolicLink(link, target);
      }
    }
    return new HadoopHome(List.of(links + "/*"));
  }

  /**
   * An unpacked distribution of Hadoop.
   *
   * @throws IOException if it lacks something, with a message that says what
   */
  public static HadoopHome installed(Path home) throws IOException {
    Path share = home.resolve("share/hadoop");
    List<String> entries = new ArrayList<>();
    for (String directory : DIRECTORIES) {
      if (Files.isDirectory(share.resolve(directory))) {
        entries.add(share.resolve(directory) + "/*");
      }
    }
    for (Found single : SINGLE) {
      entries.add(find(share.resolve(single.directory()), single).toString());
    }
    return new HadoopHome(entries);
  }

  private static Path find(Path directory, Found wanted) throws IOException {
    if (Files.isDirectory(directory)) {
      try (Stream<Path> files = Files.list(directory)) {
        for (Path file : files.sorted().toList()) {
          String name = file.getFileName().toString();
          if (name.startsWith(wanted.prefix()) && name.endsWith(wanted.suffix())) {
            return file;
          }
        }
      }
    }
    throw new IOException(
        "no " + wanted.prefix() + "*" + wanted.suffix() + " in " + directory + ": not a Hadoop");
  }

  String classPath() {
    return String.join(File.pathSeparator, entries);
  }

  /** The same as a list in Hadoop's own configuration. */
  String commaSeparated() {
    return String.join(",", entries);
  }
}
