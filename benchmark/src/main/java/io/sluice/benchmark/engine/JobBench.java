package io.sluice.benchmark.engine;

import io.sluice.demo.ComparedResults;
import io.sluice.demo.Comparison;
import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.DriverSettings;
import io.sluice.demo.driver.ShuffleJob;
import io.sluice.demo.driver.Workload;
import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.DemoProgress;
import io.sluice.demo.staging.DriverPair;
import io.sluice.demo.staging.DriverProcess;
import io.sluice.demo.staging.Scratch;
import io.sluice.demo.staging.Side;
import io.sluice.demo.staging.SparkStaging;
import io.sluice.demo.staging.Staging;
import io.sluice.demo.staging.WorkloadData;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Runs shuffle-heavy jobs with Spark's built-in shuffle and through Sluice, and measures the CPU
 * time of each side: driver, executors, coordinator and servers.
 *
 * <p>As in the demo, both applications run at the same time and execute jobs alternately, so that
 * both are equally warm and affected by the same load of the machine. The side that starts
 * alternates between rounds. The CPU time of a side covers the whole round, including background
 * work, such as deletion, while the other side runs.
 */
final class JobBench implements Comparison {
  /**
   * Parameters of a benchmark.
   *
   * @param jobs jobs over the data of {@code workload}
   * @param codecs compression codecs as in Spark, or {@code none}; each is measured in new
   *     applications
   * @param warmUps rounds before the measured ones; after a start, servers spend a third of their
   *     CPU time on JIT compilation
   * @param executors number of executors, with one core and 1 GiB each
   */
  record Plan(
      Workload workload,
      double scale,
      List<ShuffleJob> jobs,
      List<Integer> partitions,
      List<String> codecs,
      int warmUps,
      int executors,
      BenchPlan bench) {}

  private final Plan plan;
  private final BenchPlan bench;
  private final SparkStaging spark;
  private final Staging staging;
  private final DemoProgress progress;

  /**
   * @param spark borrowed; its staging must be started before {@link #run}
   */
  JobBench(Plan plan, SparkStaging spark, DemoProgress progress) {
    this.plan = plan;
    this.bench = plan.bench();
    this.spark = spark;
    this.staging = spark.staging();
    this.progress = progress;
  }

  @Override
  public JobTable run() throws DemoException, IOException, InterruptedException {
    Path data = WorkloadData.ensure(plan.workload(), plan.scale(), spark, progress);
    bench.sluice().start(staging);
    WorkloadData.readAhead(data);
    List<JobRound> rounds = new ArrayList<>();
    int total =
        plan.codecs().size() * bench.rounds() * plan.jobs().size() * plan.partitions().size();
    for (String codec : plan.codecs()) {
      progress.step(codec + ": starting two Spark applications; warm-up rounds: " + plan.warmUps());
      try (DriverPair drivers = DriverPair.start(side -> startDriver(side, codec, data))) {
        for (int number = 0; number < plan.warmUps(); number++) {
          for (ShuffleJob job : plan.jobs()) {
            round(drivers, codec, job, plan.partitions().get(0), Side.BUILT_IN);
          }
        }
        for (int number = 0; number < bench.rounds(); number++) {
          for (int partitions : plan.partitions()) {
            for (ShuffleJob job : plan.jobs()) {
              JobRound round = round(drivers, codec, job, partitions, Side.first(number));
              rounds.add(round);
              progress.result(rounds.size(), total, summary(round));
            }
          }
        }
      }
    }
    return new JobTable(rounds);
  }

  private JobRound round(
      DriverPair drivers, String codec, ShuffleJob job, int partitions, Side first)
      throws DemoException, IOException, InterruptedException {
    SideCpu builtInBefore = cpu(drivers, Side.BUILT_IN);
    SideCpu sluiceBefore = cpu(drivers, Side.SLUICE);
    ComparedResults<DriverMessage.JobDone> done =
        ComparedResults.sequentially(first, side -> run(drivers.of(side), job, partitions));
    return new JobRound(
        codec,
        done.builtIn(),
        cpu(drivers, Side.BUILT_IN).since(builtInBefore),
        done.sluice(),
        cpu(drivers, Side.SLUICE).since(sluiceBefore));
  }

  private DriverMessage.JobDone run(DriverProcess driver, ShuffleJob job, int partitions)
      throws DemoException, InterruptedException {
    driver.run(job.label() + " " + partitions);
    return driver.await(DriverMessage.JobDone.class, bench.jobTimeout());
  }

  private SideCpu cpu(DriverPair drivers, Side side) {
    return SideCpu.of(
        drivers.of(side).process(), side == Side.SLUICE ? staging.nodes() : List.of());
  }

  private static String summary(JobRound round) {
    return String.format(
        Locale.ROOT,
        "%s, %s, %d partitions: CPU %.1f and %.1f s, time %.1f and %.1f s%s",
        round.builtIn().job(),
        round.codec(),
        round.builtIn().partitions(),
        round.builtInCpu().totalMs() / 1000.0,
        round.sluiceCpu().totalMs() / 1000.0,
        round.builtIn().elapsedMs() / 1000.0,
        round.sluice().elapsedMs() / 1000.0,
        round.isSame() ? "" : ", DIFFERENT ROWS");
  }

  private DriverProcess startDriver(Side side, String codec, Path data)
      throws DemoException, IOException {
    Map<String, String> conf = new TreeMap<>(spark.sparkConf());
    conf.put("spark.master", "local-cluster[" + plan.executors() + ",1,1024]");
    conf.put("spark.sql.autoBroadcastJoinThreshold", "-1");
    if (codec.equals("none")) {
      conf.put("spark.shuffle.compress", "false");
    } else {
      conf.put("spark.io.compression.codec", codec);
    }
    conf.putAll(bench.conf());
    if (side == Side.SLUICE) {
      conf.putAll(spark.sluiceConf());
      conf.putAll(bench.sluice().conf());
    }
    Path sideDirectory = staging.directory().resolve(side.label() + "-" + codec);
    // A separate Spark home: applications started in the same second have the same id and would
    // share the executors' directories.
    Map<String, String> environment = spark.sparkHome(sideDirectory);
    return spark.startDriver(
        side,
        "io.sluice.demo.spark.TimedJobDriver",
        environment,
        new DriverSettings(
            plan.workload(), Optional.empty(), plan.scale(), data, sideDirectory, conf),
        sideDirectory);
  }

  /** Keeps logs and settings if the options require it. */
  @Override
  public boolean removeFiles(boolean good) throws IOException {
    Scratch.remove(bench.keep() ? staging.directory().resolve("spark-local") : staging.directory());
    return bench.keep();
  }
}
