package io.sluice.demo;

import io.sluice.demo.driver.ShuffleJob;
import java.time.Duration;
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
      "Runs jobs that are mostly shuffle on Spark, with Spark's own shuffle and through Sluice, in turns, and compares"
          + " what they cost: CPU of driver, executors and servers, time, bytes.",
      "Starts all processes on loopback, and ends them."
    },
    sortOptions = false)
public final class JobBenchCommand extends ComparisonCommand {
  private static final int MAX_PARTITIONS = 1 << 24;
  private static final List<String> CODECS = List.of("lz4", "zstd", "snappy", "none");

  @Option(
      names = "--scale",
      paramLabel = "FACTOR",
      defaultValue = "1",
      description = "Scale factor of TPC-H. Default: ${DEFAULT-VALUE}.")
  private double scale;

  @Option(
      names = "--jobs",
      paramLabel = "LIST",
      split = ",",
      defaultValue = "repartition,self-join,sort",
      description = "Also small-steps. Default: ${DEFAULT-VALUE}.")
  private List<String> jobs;

  @Option(
      names = "--partitions",
      paramLabel = "LIST",
      split = ",",
      defaultValue = "200,2000,20000",
      description = "spark.sql.shuffle.partitions. Default: ${DEFAULT-VALUE}.")
  private List<Integer> partitions;

  @Option(
      names = "--codecs",
      paramLabel = "LIST",
      split = ",",
      defaultValue = "lz4,zstd,none",
      description = "Default: ${DEFAULT-VALUE}.")
  private List<String> codecs;

  @Option(
      names = "--warm-ups",
      paramLabel = "N",
      defaultValue = "1",
      description = "Rounds before the measured ones. Default: ${DEFAULT-VALUE}.")
  private int warmUps;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Measured rounds. Default: ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--executors",
      paramLabel = "N",
      defaultValue = "2",
      description = "Executors of each side, with a core and 1 GiB. Default: ${DEFAULT-VALUE}.")
  private int executors;

  @Option(
      names = "--conf",
      paramLabel = "KEY=VALUE",
      description = "Configuration of Spark, on both sides.")
  private Map<String, String> conf = new LinkedHashMap<>();

  @Option(
      names = "--job-timeout",
      paramLabel = "MINUTES",
      defaultValue = "15",
      description = "Longest that one job may take. Default: ${DEFAULT-VALUE}.")
  private int jobTimeoutMinutes;

  @Mixin private SparkHomeOption sparkHome = new SparkHomeOption();

  @Mixin private SluiceSideOptions sluice = new SluiceSideOptions();

  @Mixin private PlaceOptions places = new PlaceOptions();

  @Option(names = "--keep", description = "Keep the logs and settings of the run.")
  private boolean keep;

  @Override
  PlaceOptions places() {
    return places;
  }

  @Override
  String prefix() {
    return "bench-";
  }

  @Override
  Opening opening() throws DemoException {
    JobBench.Plan plan = plan();
    SparkHome spark = sparkHome.find(System.getenv());
    return (staging, progress) -> new JobBench(plan, new SparkStaging(staging, spark), progress);
  }

  private JobBench.Plan plan() throws DemoException {
    scale(scale);
    atLeastOne("--warm-ups", warmUps);
    atLeastOne("--rounds", rounds);
    atLeastOne("--executors", executors);
    atLeastOne("--job-timeout", jobTimeoutMinutes);
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
    return new JobBench.Plan(
        scale,
        shuffleJobs(),
        List.copyOf(partitions),
        List.copyOf(codecs),
        warmUps,
        rounds,
        executors,
        sluice.side(),
        Duration.ofMinutes(jobTimeoutMinutes),
        Map.copyOf(conf),
        keep);
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
                  .map(ShuffleJob::word)
                  .collect(Collectors.joining(",")));
    }
  }
}
