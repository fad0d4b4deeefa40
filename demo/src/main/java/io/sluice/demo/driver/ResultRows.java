package io.sluice.demo.driver;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * Rows of a query's result as sorted lines of text. Two results are the same if and only if their
 * lines are.
 */
public record ResultRows(List<String> lines) {

  public ResultRows {
    lines = lines.stream().sorted().toList();
  }

  /**
   * Line of a row: columns separated by tabs, null as {@code \N}, and escaped separators in values.
   */
  public static String line(List<String> columns) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < columns.size(); i++) {
      String column = columns.get(i);
      if (i > 0) {
        line.append('\t');
      }
      line.append(
          column == null
              ? "\\N"
              : column
                  .replace("\\", "\\\\")
                  .replace("\t", "\\t")
                  .replace("\n", "\\n")
                  .replace("\r", "\\r"));
    }
    return line.toString();
  }

  /** SHA-256 over the sorted lines, in hexadecimal. */
  public String digest() {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (String line : lines) {
        digest.update(line.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) '\n');
      }
      return HexFormat.of().formatHex(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  public void write(Path file) throws IOException {
    Files.write(file, lines, StandardCharsets.UTF_8);
  }

  public static ResultRows read(Path file) throws IOException {
    return new ResultRows(Files.readAllLines(file, StandardCharsets.UTF_8));
  }

  /** File of a query in a directory of results. */
  public static Path file(Path directory, String query) {
    return directory.resolve("q" + query + ".rows");
  }
}
