package io.sluice.benchmark.engine;

import io.sluice.demo.driver.ShuffleJob;
import io.sluice.demo.driver.Workload;
import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.SparkHome;
import io.sluice.demo.staging.SparkHomeOption;
import io.sluice.demo.staging.SparkStaging;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench spark}. */
@Command(
    name = "spark",
    description = {
      "Run shuffle-heavy Spark jobs alternately with Spark's built-in shuffle and through "
          + "Sluice, and compare CPU time of"
          + " driver, executors and servers, elapsed time, and bytes.",
      "All processes are started on loopback and stopped at the end."
    },
    sortOptions = false)
public final class JobBenchCommand extends EngineBenchCommand {
  private static final int MAX_PARTITIONS = 1 << 24;
  private static final List<String> CODECS = List.of("lz4", "zstd", "snappy", "none");

  @Option(
      names = "--scale",
      paramLabel = "FACTOR",
      defaultValue = "1",
      description = "Scale factor of the data. Default: ${DEFAULT-VALUE}.")
  private double scale;

  @Option(
      names = "--jobs",
      paramLabel = "LIST",
      split = ",",
      defaultValue = "repartition,self-join,sort",
      description =
          "Jobs to run: repartition, self-join, sort, small-steps; or stress, over TPC-DS data."
              + " Default: ${DEFAULT-VALUE}.")
  private List<String> jobs;

  @Option(
      names = "--partitions",
      paramLabel = "LIST",
      split = ",",
      defaultValue = "200,2000,20000",
      description = "Values of spark.sql.shuffle.partitions to measure. Default: ${DEFAULT-VALUE}.")
  private List<Integer> partitions;

  @Option(
      names = "--codecs",
      paramLabel = "LIST",
      split = ",",
      defaultValue = "lz4,zstd,none",
      description =
          "Compression codecs to measure: lz4, zstd, snappy, none. Default: ${DEFAULT-VALUE}.")
  private List<String> codecs;

  @Option(
      names = "--warm-ups",
      paramLabel = "N",
      defaultValue = "1",
      description = "Number of warm-up rounds. Default: ${DEFAULT-VALUE}.")
  private int warmUps;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Number of measured rounds. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--executors",
      paramLabel = "N",
      defaultValue = "2",
      description =
          "Number of executors of each side, with one core and 1 GiB each. Default: "
              + "${DEFAULT-VALUE}.")
  private int executors;

  @Option(
      names = "--peer",
      paramLabel = "NAME=FILE",
      description =
          "Another shuffle service to compare with, whose servers run; benchmark/peers writes the "
              + "file. Repeatable.")
  private Map<String, Path> peers = new LinkedHashMap<>();

  @Option(
      names = "--job-timeout",
      paramLabel = "MINUTES",
      defaultValue = "15",
      description = "Timeout of one job. Default: ${DEFAULT-VALUE}.")
  private int jobTimeoutMinutes;

  @Mixin private SparkHomeOption sparkHome = new SparkHomeOption();

  @Override
  protected Opening opening() throws DemoException {
    JobBench.Plan plan = plan();
    SparkHome spark = sparkHome.find(System.getenv());
    return (staging, progress) -> new JobBench(plan, new SparkStaging(staging, spark), progress);
  }

  private JobBench.Plan plan() throws DemoException {
    scale(scale);
    atLeast(0, "--warm-ups", warmUps);
    atLeastOne("--executors", executors);
    BenchPlan bench = benchPlan(rounds, "--job-timeout", jobTimeoutMinutes);
    for (int count : partitions) {
      atLeastOne("--partitions", count);
      if (count > MAX_PARTITIONS) {
        throw DemoException.usage("--partitions " + count + ": expected at most " + MAX_PARTITIONS);
      }
    }
    for (String codec : codecs) {
      if (!CODECS.contains(codec)) {
        throw DemoException.usage("--codecs " + codec + ": expected one of " + CODECS);
      }
    }
    List<ShuffleJob> chosen = shuffleJobs();
    Workload workload = chosen.get(0).workload();
    if (chosen.stream().anyMatch(job -> job.workload() != workload)) {
      throw DemoException.usage(
          "--jobs " + String.join(",", jobs) + ": stress reads other data, run it alone");
    }
    List<Peer> others = new ArrayList<>();
    for (Map.Entry<String, Path> peer : peers.entrySet()) {
      others.add(Peer.read(peer.getKey(), peer.getValue()));
    }
    return new JobBench.Plan(
        workload,
        scale,
        chosen,
        List.copyOf(partitions),
        List.copyOf(codecs),
        warmUps,
        executors,
        others,
        bench);
  }

  private List<ShuffleJob> shuffleJobs() throws DemoException {
    try {
      return jobs.stream().map(ShuffleJob::of).toList();
    } catch (IllegalArgumentException e) {
      throw DemoException.usage(
          "--jobs "
              + String.join(",", jobs)
              + ": expected some of "
              + Arrays.stream(ShuffleJob.values())
                  .map(ShuffleJob::label)
                  .collect(Collectors.joining(",")));
    }
  }
}
