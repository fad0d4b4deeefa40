package io.sluice.coordinator.cluster;

import io.sluice.common.file.WatchedFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exclude file, which operators and {@code sluice admin exclude} change while the coordinator
 * runs. An absent file excludes no server: that is how an operator lifts the last exclusion. A file
 * that cannot be read leaves the list as it was, because a full disk must not bring a broken server
 * back into use.
 */
public final class ExcludeFile {
  private static final Logger log = LoggerFactory.getLogger(ExcludeFile.class);

  private final Path path;
  private final WatchedFile<ExcludeList> file;

  public ExcludeFile(Path path) {
    this.path = path;
    this.file =
        WatchedFile.openOptional(
            path, text -> ExcludeList.parse(text.lines().toList()), ExcludeList.empty());
  }

  /** Reads the file now. */
  public ExcludeList read() {
    return file.read();
  }

  public Path path() {
    return path;
  }

  /**
   * Writes an entry behind what the file says, or makes the file.
   *
   * @throws IOException one line: why it cannot be written; it is as before then
   */
  public void add(String entry) throws IOException {
    List<String> lines = new ArrayList<>(lines());
    lines.add(entry);
    replace(lines);
  }

  /**
   * Takes the lines of some entries out, and leaves all others, comments too, as they are.
   *
   * @throws IOException as {@link #add}
   */
  public void remove(Set<String> entries) throws IOException {
    replace(lines().stream().filter(line -> !entries.contains(ExcludeList.entry(line))).toList());
  }

  private List<String> lines() throws IOException {
    try {
      return WatchedFile.readText(path).lines().toList();
    } catch (NoSuchFileException e) {
      return List.of();
    }
  }

  /** By rename, so that a coordinator that reads it meanwhile sees all of it, old or new. */
  private void replace(List<String> lines) throws IOException {
    Path target = Files.exists(path) ? path.toRealPath() : path.toAbsolutePath();
    Path unfinished = target.resolveSibling(target.getFileName() + ".unfinished");
    try {
      Files.write(unfinished, lines, StandardCharsets.UTF_8);
      if (Files.exists(target)) {
        keepPermissions(target, unfinished);
      }
      Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      Files.deleteIfExists(unfinished);
      throw new IOException(
          path + ": cannot be written; change it by hand, it is read again (" + e + ")", e);
    }
  }

  private static void keepPermissions(Path from, Path to) throws IOException {
    try {
      Path unused = Files.setPosixFilePermissions(to, Files.getPosixFilePermissions(from));
    } catch (UnsupportedOperationException e) {
      log.debug("file system without permissions file={}", to, e);
    }
  }
}
