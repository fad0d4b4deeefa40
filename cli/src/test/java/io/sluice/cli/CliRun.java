package io.sluice.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.function.BiFunction;
import picocli.CommandLine;

/** Result of a command that ran in this JVM: exit code and output. */
public record CliRun(int exitCode, String out, String err) {

  public static CliRun of(String... args) {
    return of(SluiceCommand::commandLine, args);
  }

  /** Runs a command of another command tree. */
  public static CliRun of(BiFunction<PrintWriter, PrintWriter, CommandLine> tree, String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code = tree.apply(new PrintWriter(out, true), new PrintWriter(err, true)).execute(args);
    return new CliRun(code, out.toString(), err.toString());
  }
}
