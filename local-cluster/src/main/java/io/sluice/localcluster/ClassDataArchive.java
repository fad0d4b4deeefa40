package io.sluice.localcluster;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Class data archive of an installation (JEP 350): loaded classes in the format of the JVM, with
 * which a process starts faster. {@code sluice archive} creates it.
 *
 * <p>A JVM uses it only if its version and the class path up to the archive's last jar are those of
 * the archive, with unchanged jars. It ignores any other archive.
 */
public record ClassDataArchive(Path file) {
  /** System property that the launcher sets to the file of the archive. */
  public static final String PROPERTY = "sluice.archive";

  /** Options with which a JVM uses the archive; empty if it does not exist. */
  public List<String> jvmOptions() {
    // Without messages about an archive that the JVM ignores.
    return Files.isReadable(file)
        ? List.of("-XX:SharedArchiveFile=" + file, "-Xlog:cds*=off")
        : List.of();
  }
}
