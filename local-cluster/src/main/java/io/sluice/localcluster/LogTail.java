package io.sluice.localcluster;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads the last lines of a log file, for error messages. */
public final class LogTail {
  /** Maximum number of bytes read: enough for a page of long lines. */
  private static final int READ_BYTES = 64 * 1024;

  private LogTail() {}

  /**
   * The last {@code lineCount} lines that are not blank; empty if there are none or the file cannot
   * be read.
   */
  public static String of(Path file, int lineCount) {
    if (!Files.isReadable(file)) {
      return "";
    }
    try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r")) {
      long start = Math.max(0, in.length() - READ_BYTES);
      in.seek(start);
      byte[] end = new byte[(int) (in.length() - start)];
      in.readFully(end);
      List<String> lines =
          new String(end, StandardCharsets.UTF_8).lines().filter(line -> !line.isBlank()).toList();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - lineCount), lines.size()));
    } catch (IOException e) {
      return "";
    }
  }
}
