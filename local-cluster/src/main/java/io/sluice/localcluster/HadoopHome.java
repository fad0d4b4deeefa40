package io.sluice.localcluster;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The jars of a Hadoop with YARN, its mini cluster and its example programs.
 *
 * @param entries of a class path; {@code directory/*} stands for all jars of a directory
 */
public record HadoopHome(List<String> entries) {
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

  String classPath() {
    return String.join(File.pathSeparator, entries);
  }

  /** The same as a list in Hadoop's own configuration. */
  String commaSeparated() {
    return String.join(",", entries);
  }
}
