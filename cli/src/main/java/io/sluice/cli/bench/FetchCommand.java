package io.sluice.cli.bench;

import io.sluice.cli.bench.BenchCluster.Share;
import io.sluice.cli.control.QuorumOptions;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench fetch}. */
@Command(name = "fetch", description = "Fetch and verify every block of a push, and measure.")
final class FetchCommand implements Callable<Integer> {
  @Mixin private QuorumOptions quorum;
  @Mixin private BenchOptions options;

  @Option(
      names = "--application",
      paramLabel = "NAME",
      description =
          "Fetch what 'bench push --keep' left under this name; default: push first, with the same"
              + " options.")
  private String application;

  @Option(names = "--keep", description = "Leave the data until the lease ends.")
  private boolean keep;

  @Override
  public Integer call() throws IOException, InterruptedException {
    options.check();
    BenchRun.Target target = BenchRun.Target.of(quorum);
    String name = application == null ? target.freshApplication() : application;
    try (BenchRun run =
        BenchRun.start(options, target, BenchNames.progress(options.spec()), name)) {
      try {
        long expectedBlocks = -1;
        if (application == null) {
          BenchReport pushed = run.push();
          BenchNames.print(options.spec(), pushed.render());
          expectedBlocks = pushed.blocks();
        }
        List<Share> everywhere = run.cluster().everywhere(options.partitions());
        BenchNames.print(options.spec(), run.fetch(everywhere, expectedBlocks).render());
      } finally {
        if (!keep) {
          run.cluster().forget();
        }
      }
    }
    return 0;
  }
}
