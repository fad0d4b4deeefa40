package io.sluice.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * Entry of every {@code sluice} command. Exit codes: 0 done, 1 failed, 2 wrong usage or
 * configuration.
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
