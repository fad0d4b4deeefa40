package io.sluice.server.health;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.ReadOnlyFileSystemException;
import java.util.Locale;

/** What a failed call says about a disk. */
public enum DiskFault {
  /** No space or quota is left: the disk is full, not ill. */
  FULL,
  /** The file system was remounted read-only. */
  READ_ONLY,
  /** The directory or a file in it is not there. */
  ABSENT,
  /** Anything else, EIO above all. */
  FAILED;

  /**
   * The JDK hands on the system's error only as its text, which is in English for the "C" locale
   * that servers run in; a text that is not known counts as {@link #FAILED}.
   */
  public static DiskFault of(Throwable problem) {
    for (Throwable at = problem; at != null; at = at.getCause()) {
      if (at instanceof NoSuchFileException) {
        return ABSENT;
      }
      if (at instanceof ReadOnlyFileSystemException) {
        return READ_ONLY;
      }
      String text = String.valueOf(at.getMessage()).toLowerCase(Locale.ROOT);
      if (at instanceof IOException) {
        if (text.contains("no space left on device") || text.contains("quota exceeded")) {
          return FULL;
        }
        if (text.contains("read-only file system")) {
          return READ_ONLY;
        }
        if (text.contains("no such file or directory")) {
          return ABSENT;
        }
      }
    }
    return FAILED;
  }
}
