package io.sluice.server.disk;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.ReadOnlyFileSystemException;
import java.util.List;
import java.util.Locale;

/** Classifies a failed call by its meaning for the disk. */
public enum DiskFault {
  /** No space or quota is left: the disk is full, not faulty. */
  FULL,
  /** The file system was remounted read-only. */
  READ_ONLY,
  /** The directory or a file in it does not exist. */
  ABSENT,
  /** The process or the machine is out of memory or file descriptors: not a fault of the disk. */
  UNRELATED,
  /** Any other error, usually EIO. */
  FAILED;

  private static final List<String> FULL_TEXTS =
      List.of("no space left on device", "quota exceeded");
  private static final List<String> RESOURCE_TEXTS =
      List.of("too many open files", "cannot allocate memory", "out of memory");

  /**
   * Classifies by message text, because the JDK exposes no error number. Servers run in the "C"
   * locale, so the text is English; unknown text counts as {@link #FAILED}.
   */
  public static DiskFault of(IOException problem) {
    for (Throwable at = problem; at != null; at = at.getCause()) {
      if (at instanceof OutOfMemoryError) {
        return UNRELATED;
      }
      if (at instanceof NoSuchFileException) {
        return ABSENT;
      }
      if (at instanceof ReadOnlyFileSystemException) {
        return READ_ONLY;
      }
      if (at instanceof IOException) {
        String text = String.valueOf(at.getMessage()).toLowerCase(Locale.ROOT);
        if (containsAny(text, FULL_TEXTS)) {
          return FULL;
        }
        if (text.contains("read-only file system")) {
          return READ_ONLY;
        }
        if (containsAny(text, RESOURCE_TEXTS)) {
          return UNRELATED;
        }
        if (text.contains("no such file or directory")) {
          return ABSENT;
        }
      }
    }
    return FAILED;
  }

  private static boolean containsAny(String text, List<String> parts) {
    return parts.stream().anyMatch(text::contains);
  }
}
