package io.sluice.cli.bench;

import io.sluice.cli.bench.store.DeleteCommand;
import io.sluice.cli.bench.store.MetadataCommand;
import io.sluice.demo.JobBenchCommand;
import io.sluice.demo.TerasortBenchCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The parent of the benchmarks. */
@Command(
    name = "bench",
    description =
        "Push to or fetch from a running cluster, or try a part of a server, and measure.",
    subcommands = {
      PushCommand.class,
      FetchCommand.class,
      ReadCommand.class,
      HugeCommand.class,
      SecurityCommand.class,
      MetadataCommand.class,
      DeleteCommand.class,
      MergeCommand.class,
      JobBenchCommand.class,
      TerasortBenchCommand.class
    })
public final class BenchCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name one of " + spec.subcommands().keySet());
  }
}
