package io.sluice.coordinator.cluster;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exclude file, read again and again while the coordinator runs. A file that is not there
 * excludes nobody: that is how an operator lifts the last exclusion. A file that cannot be read
 * leaves the list as it was, because a full disk must not bring a broken server back into use; the
 * trouble is logged once, not at each reading.
 *
 * <p>Belongs to the one thread that polls it.
 */
public final class ExcludeFile {
  /** 1 MiB is some 40,000 servers; a larger file is a mistake. */
  static final long MAX_LENGTH = 1 << 20;

  private static final Logger log = LoggerFactory.getLogger(ExcludeFile.class);

  private final Path path;
  private ExcludeList last = ExcludeList.empty();
  private String lastTrouble;

  public ExcludeFile(Path path) {
    this.path = path;
  }

  /** Reads the file now. */
  public ExcludeList read() {
    try {
      long length = Files.size(path);
      if (length > MAX_LENGTH) {
        trouble("it has " + length + " bytes, at most " + MAX_LENGTH + " are read");
      } else {
        last = ExcludeList.parse(Files.readString(path, StandardCharsets.UTF_8).lines().toList());
        lastTrouble = null;
      }
    } catch (NoSuchFileException e) {
      last = ExcludeList.empty();
      lastTrouble = null;
    } catch (MalformedInputException e) {
      trouble("it is not UTF-8 text");
    } catch (IOException e) {
      trouble(e.toString());
    }
    return last;
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
      if (Files.size(path) > MAX_LENGTH) {
        throw new IOException("larger than " + MAX_LENGTH + " bytes");
      }
      return Files.readString(path, StandardCharsets.UTF_8).lines().toList();
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (MalformedInputException e) {
      throw new IOException(path + ": is not UTF-8 text", e);
    } catch (IOException e) {
      throw new IOException(path + ": cannot be read (" + e + ")", e);
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

  private void trouble(String what) {
    if (!Objects.equals(what, lastTrouble)) {
      log.warn(
          "exclude file not read, exclusions stay as they were file={} reason={} excluded={}",
          path,
          what,
          last.size());
      lastTrouble = what;
    }
  }
}
