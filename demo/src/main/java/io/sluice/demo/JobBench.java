package io.sluice.demo;

import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.DriverSettings;
import io.sluice.demo.driver.ShuffleJob;
import io.sluice.demo.driver.Workload;
import io.sluice.localcluster.ClusterNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Jobs that are mostly shuffle, with Spark's own shuffle and through Sluice, and what each side
 * costs: every CPU second of driver, executors, coordinator and servers.
 *
 * <p>As in the demo both sides live side by side and take turns, so that they are equally warm and
 * meet the same machine. Who begins changes from round to round. What a side does in the
 * background, such as deleting, counts too: its CPU is taken over the whole round, in which the
 * other side's turn is idle time.
 */
final class JobBench implements Comparison {
  private static final Duration READY_TIMEOUT = Duration.ofMinutes(10);

  /**
   * What a run does.
   *
   * @param codecs as Spark names them, or {@code none}; each gets applications of its own
   * @param warmUps rounds before the measured ones; young servers spend a third of their CPU on
   *     compiling themselves
   * @param rounds measured rounds
   * @param executors a core and 1 GiB each
   * @param conf for Spark on both sides
   * @param keep whether logs and settings stay
   */
  record Plan(
      double scale,
      List<ShuffleJob> jobs,
      List<Integer> partitions,
      List<String> codecs,
      int warmUps,
      int rounds,
      int executors,
      SluiceSide sluice,
      Duration jobTimeout,
      Map<String, String> conf,
      boolean keep) {}

  private final Plan plan;
  private final SparkStaging spark;
  private final Staging staging;
  private final DemoProgress progress;

  /**
   * @param spark borrows: its staging is started before {@link #run}
   */
  JobBench(Plan plan, SparkStaging spark, DemoProgress progress) {
    this.plan = plan;
    this.spark = spark;
    this.staging = spark.staging();
    this.progress = progress;
  }

  @Override
  public JobTable run() throws DemoException, IOException, InterruptedException {
    Path data = WorkloadData.ensure(Workload.TPCH, plan.scale(), spark, progress);
    plan.sluice().start(staging);
    WorkloadData.readAhead(data);
    List<JobRound> rounds = new ArrayList<>();
    int total =
        plan.codecs().size() * plan.rounds() * plan.jobs().size() * plan.partitions().size();
    for (String codec : plan.codecs()) {
      progress.step(codec + ": starting Spark twice; rounds to warm up: " + plan.warmUps());
      try (DriverProcess own = startDriver(Side.OWN, codec, data);
          DriverProcess sluice = startDriver(Side.SLUICE, codec, data)) {
        own.await(DriverMessage.Ready.class, READY_TIMEOUT);
        sluice.await(DriverMessage.Ready.class, READY_TIMEOUT);
        Sides sides = new Sides(own, sluice);
        for (int number = 0; number < plan.warmUps(); number++) {
          for (ShuffleJob job : plan.jobs()) {
            round(sides, codec, job, plan.partitions().get(0), false);
          }
        }
        for (int number = 0; number < plan.rounds(); number++) {
          for (int partitions : plan.partitions()) {
            for (ShuffleJob job : plan.jobs()) {
              JobRound round = round(sides, codec, job, partitions, number % 2 == 1);
              rounds.add(round);
              progress.result(rounds.size(), total, words(round));
            }
          }
        }
      }
    }
    return new JobTable(rounds);
  }

  private record Sides(DriverProcess own, DriverProcess sluice) {}

  private JobRound round(
      Sides sides, String codec, ShuffleJob job, int partitions, boolean sluiceFirst)
      throws DemoException, InterruptedException {
    SideCpu ownBefore = cpu(sides.own, List.of());
    SideCpu sluiceBefore = cpu(sides.sluice, staging.nodes());
    DriverMessage.JobDone sluice = sluiceFirst ? run(sides.sluice, job, partitions) : null;
    DriverMessage.JobDone own = run(sides.own, job, partitions);
    if (sluice == null) {
      sluice = run(sides.sluice, job, partitions);
    }
    return new JobRound(
        codec,
        own,
        cpu(sides.own, List.of()).since(ownBefore),
        sluice,
        cpu(sides.sluice, staging.nodes()).since(sluiceBefore));
  }

  private DriverMessage.JobDone run(DriverProcess driver, ShuffleJob job, int partitions)
      throws DemoException, InterruptedException {
    driver.run(job.word() + " " + partitions);
    return driver.await(DriverMessage.JobDone.class, plan.jobTimeout());
  }

  private static SideCpu cpu(DriverProcess driver, List<ClusterNode> nodes) {
    return SideCpu.of(driver.process(), nodes);
  }

  private static String words(JobRound round) {
    return String.format(
        Locale.ROOT,
        "%s, %s, %d partitions: CPU %.1f and %.1f s, time %.1f and %.1f s%s",
        round.own().job(),
        round.codec(),
        round.own().partitions(),
        round.ownCpu().totalMs() / 1000.0,
        round.sluiceCpu().totalMs() / 1000.0,
        round.own().elapsedMs() / 1000.0,
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
    conf.putAll(plan.conf());
    if (side == Side.SLUICE) {
      conf.putAll(spark.sluiceConf());
      conf.putAll(plan.sluice().conf());
    }
    Path sideDirectory = staging.directory().resolve(side.word() + "-" + codec);
    // A home of its own: two applications of the same second have the same name and would share
    // the executors' directories.
    Map<String, String> environment = spark.sparkHome(sideDirectory);
    return spark.startDriver(
        side,
        "io.sluice.demo.spark.JobDriver",
        environment,
        new DriverSettings(
            Workload.TPCH, Optional.empty(), plan.scale(), data, sideDirectory, conf),
        sideDirectory);
  }

  /** The files show how far it came. */
  @Override
  public boolean removeFiles(boolean good) throws IOException {
    Scratch.remove(plan.keep() ? staging.directory().resolve("spark-local") : staging.directory());
    return plan.keep();
  }
}
