package io.sluice.cli.bench;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The parent of the benchmarks. The module {@code benchmark} adds those that are not shipped. */
@Command(
    name = "bench",
    description = "Push to or fetch from a running cluster, and measure.",
    subcommands = {PushCommand.class, FetchCommand.class})
public final class BenchCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name one of " + spec.subcommands().keySet());
  }
}
