package io.sluice.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** A command run in this JVM: its exit code and what it printed. */
public record CliRun(int exitCode, String out, String err) {

  public static CliRun of(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        SluiceCommand.commandLine(new PrintWriter(out, true), new PrintWriter(err, true))
            .execute(args);
    return new CliRun(code, out.toString(), err.toString());
  }
}
