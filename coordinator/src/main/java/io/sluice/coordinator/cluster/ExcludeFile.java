package io.sluice.coordinator.cluster;

import java.io.IOException;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;
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
