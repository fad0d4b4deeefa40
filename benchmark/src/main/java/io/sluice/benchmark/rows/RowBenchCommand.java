package io.sluice.benchmark.rows;

import io.sluice.benchmark.engine.TabledOutcome;
import io.sluice.cli.bench.ResultOptions;
import io.sluice.client.compress.CodecChoice;
import io.sluice.demo.Comparison;
import io.sluice.demo.ComparisonCommand;
import io.sluice.demo.driver.Workload;
import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.SparkHome;
import io.sluice.demo.staging.SparkHomeOption;
import io.sluice.demo.staging.SparkStaging;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench rows}. */
@Command(
    name = "rows",
    description = {
      "Run the queries of TPC-H and TPC-DS once, log the rows of their exchanges, and replay them: "
          + "bytes and CPU time of blocks with and without row planes.",
      "Tables have the exchanges of at least --show bytes, and the sums of all."
    },
    sortOptions = false)
public final class RowBenchCommand extends ComparisonCommand {
  private static final int MIB = 1 << 20;

  @Option(
      names = "--workloads",
      paramLabel = "LIST",
      split = ",",
      defaultValue = "tpch,tpcds",
      description = "Data and queries: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private List<Workload> workloads;

  @Option(
      names = "--scale",
      paramLabel = "FACTOR",
      defaultValue = "1",
      description = "Scale factor of the data. Default: ${DEFAULT-VALUE}.")
  private double scale;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      defaultValue = "200",
      description = "Value of spark.sql.shuffle.partitions. Default: ${DEFAULT-VALUE}.")
  private int partitions;

  @Option(
      names = "--codecs",
      paramLabel = "LIST",
      split = ",",
      defaultValue = "LZ4,ZSTD",
      description = "Codecs to measure: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
  private List<CodecChoice> codecs;

  @Option(
      names = "--sample",
      paramLabel = "MIB",
      defaultValue = "16",
      description =
          "MiB of an exchange that are logged, as one block of every few. Default: "
              + "${DEFAULT-VALUE}.")
  private int sampleMib;

  @Option(
      names = "--passes",
      paramLabel = "N",
      defaultValue = "2",
      description =
          "Number of replays; the last one is measured, the others warm up. Default: "
              + "${DEFAULT-VALUE}.")
  private int passes;

  @Option(
      names = "--show",
      paramLabel = "MIB",
      defaultValue = "20",
      description = "Minimum MiB of an exchange with its own line. Default: ${DEFAULT-VALUE}.")
  private int showMib;

  @Mixin private ResultOptions results;
  @Mixin private SparkHomeOption sparkHome = new SparkHomeOption();

  @Override
  protected void publish(Comparison.Outcome outcome) throws IOException {
    results.write(((TabledOutcome) outcome).tables(), List.of());
  }

  @Override
  protected String prefix() {
    return "bench-";
  }

  @Override
  protected Opening opening() throws DemoException {
    scale(scale);
    atLeastOne("--partitions", partitions);
    atLeastOne("--sample", sampleMib);
    atLeastOne("--passes", passes);
    atLeastOne("--show", showMib);
    RowBench.Plan plan =
        new RowBench.Plan(
            List.copyOf(workloads),
            scale,
            partitions,
            codecs.stream().map(CodecChoice::codec).distinct().toList(),
            (long) sampleMib * MIB,
            passes,
            (long) showMib * MIB,
            keep());
    SparkHome spark = sparkHome.find(System.getenv());
    return (staging, progress) -> new RowBench(plan, new SparkStaging(staging, spark), progress);
  }
}
