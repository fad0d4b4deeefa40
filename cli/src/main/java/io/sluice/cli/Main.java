package io.sluice.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * Entry of every {@code sluice} command; it ends with an {@link io.sluice.cli.control.ExitCode}.
 */
public final class Main {

  private Main() {}

  public static void main(String[] args) {
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    int code = SluiceCommand.commandLine(out, err).execute(args);
    out.flush();
    err.flush();
    System.exit(code);
  }
}
