package io.sluice.cli.bench;

import io.sluice.cli.control.QuorumOptions;
import io.sluice.common.config.DurationText;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench push}. */
@Command(
    name = "push",
    description = "Push blocks of one size, and measure throughput and latency.")
final class PushCommand implements Callable<Integer> {
  @Mixin private QuorumOptions quorum;
  @Mixin private BenchOptions options;
  @Mixin private ResultOptions results;

  @Option(
      names = "--application",
      paramLabel = "NAME",
      description = "Application id to use; default: a new, unique id.")
  private String application;

  @Option(
      names = "--keep",
      description = "Keep the data for `bench fetch --application` until the lease expires.")
  private boolean keep;

  @Override
  public Integer call() throws IOException, InterruptedException {
    options.check();
    BenchRun.Target target = BenchRun.Target.of(quorum);
    String name = application == null ? target.freshApplication() : application;
    try (BenchRun run =
        BenchRun.start(options.load(), target, BenchNames.progress(options.spec()), name)) {
      try {
        BenchReport report = run.push();
        BenchNames.print(options.spec(), report.render());
        results.write(List.of(BenchReport.table(List.of(report))), List.of());
      } finally {
        if (!keep) {
          run.cluster().forget();
        }
      }
      if (keep) {
        BenchNames.print(
            options.spec(),
            "data is kept for "
                + DurationText.print(run.cluster().leaseMs())
                + ": bench fetch --application "
                + name
                + " --partitions "
                + options.load().partitions()
                + "\n");
      }
    }
    return 0;
  }
}
