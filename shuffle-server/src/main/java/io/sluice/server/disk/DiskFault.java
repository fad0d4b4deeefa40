package io.sluice.server.disk;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.ReadOnlyFileSystemException;
import java.util.List;
import java.util.Locale;

/** What a failed call says about a disk. */
public enum DiskFault {
  /** No space or quota is left: the disk is full, not ill. */
  FULL,
  /** The file system was remounted read-only. */
  READ_ONLY,
  /** The directory or a file in it is not there. */
  ABSENT,
  /** The process or the machine lacks memory or descriptors: nothing is known of the disk. */
  UNRELATED,
  /** Anything else, EIO above all. */
  FAILED;

  private static final List<String> FULL_TEXTS =
      List.of("no space left on device", "quota exceeded");
  private static final List<String> RESOURCE_TEXTS =
      List.of("too many open files", "cannot allocate memory", "out of memory");

  /**
   * The JDK hands on the system's error only as its text, which is in English for the "C" locale
   * that servers run in; a text that is not known counts as {@link #FAILED}.
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
