package io.sluice.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.function.BiFunction;
import picocli.CommandLine;

/**
 * Entry point of all {@code sluice} commands. The process exits with an {@link
 * io.sluice.cli.control.ExitCode}.
 */
public final class Main {

  private Main() {}

  public static void main(String[] args) {
    run(SluiceCommand::commandLine, args);
  }

  /**
   * Executes a command with standard output and standard error, and exits.
   *
   * @param tree creates the command tree from the writers for results and for errors
   */
  public static void run(BiFunction<PrintWriter, PrintWriter, CommandLine> tree, String... args) {
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    int code = tree.apply(out, err).execute(args);
    out.flush();
    err.flush();
    System.exit(code);
  }
}
