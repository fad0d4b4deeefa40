package io.sluice.cli.bench;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Parent of the benchmark commands. The module {@code benchmark} adds those that are not shipped.
 */
@Command(
    name = "bench",
    description = "Measure pushes to or fetches from a running cluster.",
    subcommands = {PushCommand.class, FetchCommand.class})
public final class BenchCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "a command is missing; expected one of " + spec.subcommands().keySet());
  }
}
