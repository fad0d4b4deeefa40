package io.sluice.localcluster;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Class path of a Hadoop installation with YARN, the mini cluster and the example programs.
 *
 * @param entries of the class path; {@code directory/*} stands for all jars of a directory
 */
public record HadoopHome(List<String> entries) {
  public HadoopHome {
    entries = List.copyOf(entries);
  }

  /**
   * Hadoop jars that the build resolved.
   *
   * @param list file that contains the class path
   * @param links directory in which a link to each jar is created, so that class paths of processes
   *     stay short
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

  String classPath() {
    return String.join(File.pathSeparator, entries);
  }

  /** Class path as a list for Hadoop's configuration. */
  String commaSeparated() {
    return String.join(",", entries);
  }
}
