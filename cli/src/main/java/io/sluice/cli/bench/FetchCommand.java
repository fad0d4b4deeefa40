package io.sluice.cli.bench;

import io.sluice.cli.bench.BenchCluster.Share;
import io.sluice.cli.control.QuorumOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench fetch}. */
@Command(
    name = "fetch",
    description = "Fetch and verify all blocks of a push, and measure throughput and latency.")
final class FetchCommand implements Callable<Integer> {
  @Mixin private QuorumOptions quorum;
  @Mixin private BenchOptions options;
  @Mixin private ResultOptions results;

  @Option(
      names = "--application",
      paramLabel = "NAME",
      description =
          "Application of an earlier `bench push --keep` whose data to fetch; default: "
              + "push first, with the same options.")
  private String application;

  @Option(names = "--keep", description = "Keep the data until the lease expires.")
  private boolean keep;

  @Override
  public Integer call() throws IOException, InterruptedException {
    options.check();
    BenchRun.Target target = BenchRun.Target.of(quorum);
    String name = application == null ? target.freshApplication() : application;
    try (BenchRun run =
        BenchRun.start(options.load(), target, BenchNames.progress(options.spec()), name)) {
      try {
        List<BenchReport> reports = new ArrayList<>();
        long expectedBlocks = -1;
        if (application == null) {
          BenchReport pushed = run.push();
          BenchNames.print(options.spec(), pushed.render());
          expectedBlocks = pushed.blocks();
          reports.add(pushed);
        }
        List<Share> shares = run.cluster().allPartitionsOnEveryServer(options.load().partitions());
        BenchReport fetched = run.fetch(shares, expectedBlocks);
        BenchNames.print(options.spec(), fetched.render());
        reports.add(fetched);
        results.write(List.of(BenchReport.table(reports)), List.of());
      } finally {
        if (!keep) {
          run.cluster().forget();
        }
      }
    }
    return 0;
  }
}
