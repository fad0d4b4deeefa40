package io.sluice.cli.secure;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;

/** Output of {@code sluice secure}: written files and next commands, never a secret. */
final class SecureReport {
  private final PrintWriter out;
  private final Path directory;

  /**
   * @param directory as the caller named it
   */
  SecureReport(PrintWriter out, Path directory) {
    this.out = out;
    this.directory = directory;
  }

  /** Day in UTC. */
  static String day(Instant time) {
    return LocalDate.ofInstant(time, ZoneOffset.UTC).toString();
  }

  /**
   * @param files relative to the directory
   */
  void written(List<Path> files) {
    files.forEach(file -> out.println("written  " + directory.resolve(file)));
  }

  void text(String line) {
    out.println(line);
  }

  /** Commands to run next. */
  void next(String... commands) {
    out.println("Next:");
    for (String command : commands) {
      out.println("  " + command);
    }
  }
}
