package io.sluice.benchmark.engine;

import io.sluice.benchmark.engine.SoakTable.SoakCounts;
import io.sluice.demo.Comparison;
import io.sluice.demo.driver.DriverMessage;
import io.sluice.demo.driver.DriverSettings;
import io.sluice.demo.driver.ShuffleJob;
import io.sluice.demo.driver.Workload;
import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.DemoProgress;
import io.sluice.demo.staging.DriverProcess;
import io.sluice.demo.staging.Scratch;
import io.sluice.demo.staging.Side;
import io.sluice.demo.staging.SparkStaging;
import io.sluice.demo.staging.Staging;
import io.sluice.demo.staging.WorkloadData;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.ClusterStartException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Runs Spark applications one after the other on one cluster for a long time, with clean restarts
 * of processes, and measures memory, descriptors, threads and files. Every job's rows are compared
 * with those of the built-in shuffle. The first server and the first coordinator are never
 * restarted, so that growth shows.
 */
final class SoakBench implements Comparison {
  /**
   * Parameters of a soak.
   *
   * @param coordinators number of coordinators
   * @param length of the run
   * @param applicationLength time after which the next application starts
   * @param restartInterval time between two restarts of a process
   * @param sampleInterval time between two samples
   */
  record Plan(
      double scale,
      int coordinators,
      Duration length,
      Duration applicationLength,
      Duration restartInterval,
      Duration sampleInterval,
      BenchPlan bench) {}

  private static final Duration READY_TIMEOUT = Duration.ofMinutes(10);

  /** Longer than the lease of an application and the delay of deletions. */
  private static final Duration EMPTY_TIMEOUT = Duration.ofMinutes(5);

  private static final int[] PARTITIONS = {13, 200, 1000};

  private final Plan plan;
  private final BenchPlan bench;
  private final SparkStaging spark;
  private final Staging staging;
  private final DemoProgress progress;
  private final Map<ShuffleJob, String> expected = new EnumMap<>(ShuffleJob.class);
  private int applications;
  private int jobs;
  private int differentJobs;
  private int restarts;
  private long pushedBytes;

  /**
   * @param spark borrowed; its staging must be started before {@link #run}
   */
  SoakBench(Plan plan, SparkStaging spark, DemoProgress progress) {
    this.plan = plan;
    this.bench = plan.bench();
    this.spark = spark;
    this.staging = spark.staging();
    this.progress = progress;
  }

  @Override
  public SoakTable run() throws DemoException, IOException, InterruptedException {
    Path data = WorkloadData.ensure(Workload.TPCH, plan.scale(), spark, progress);
    bench.sluice().start(staging, plan.coordinators());
    progress.step("running each job once with the built-in shuffle");
    try (DriverProcess driver = startDriver(Side.BUILT_IN, "built-in", data)) {
      for (ShuffleJob job : ShuffleJob.on(Workload.TPCH)) {
        expected.put(job, run(driver, job, PARTITIONS[0]).digest());
      }
    }
    NodeSampler sampler =
        new NodeSampler(
            staging.nodes(), staging.directory().resolve("soak.csv"), plan.sampleInterval());
    List<String> leftovers = new ArrayList<>();
    long seconds;
    try (sampler;
        ClusterProbe probe = staging.probe()) {
      while (sampler.seconds() < plan.length().toSeconds()) {
        runApplication(data, sampler);
      }
      seconds = sampler.seconds();
      progress.step("all applications have ended; waiting until nothing is left");
      for (ClusterNode server : staging.cluster().servers()) {
        awaitEmpty(server, probe).ifPresent(leftovers::add);
      }
    }
    return new SoakTable(
        new SoakCounts(seconds, applications, jobs, differentJobs, restarts, pushedBytes),
        sampler.samples(),
        leftovers);
  }

  private void runApplication(Path data, NodeSampler sampler)
      throws DemoException, IOException, InterruptedException {
    long end =
        Math.min(
            plan.length().toSeconds(), sampler.seconds() + plan.applicationLength().toSeconds());
    applications++;
    try (DriverProcess driver = startDriver(Side.SLUICE, "sluice-" + applications, data)) {
      List<ShuffleJob> all = ShuffleJob.on(Workload.TPCH);
      for (int number = 0; sampler.seconds() < end || number == 0; number++) {
        ShuffleJob job = all.get(number % all.size());
        driver.run(job.label() + " " + PARTITIONS[number % PARTITIONS.length]);
        if (sampler.seconds() / plan.restartInterval().toSeconds() > restarts) {
          restart();
        }
        check(job, await(driver));
      }
    }
    Scratch.remove(staging.directory().resolve("sluice-" + applications));
    progress.result(
        (int) Math.min(sampler.seconds(), plan.length().toSeconds()),
        (int) plan.length().toSeconds(),
        "seconds; applications "
            + applications
            + ", jobs "
            + jobs
            + ", restarts "
            + restarts
            + ", jobs with other rows "
            + differentJobs);
  }

  private void check(ShuffleJob job, DriverMessage.JobDone done) {
    jobs++;
    pushedBytes += done.shuffleWrittenBytes();
    if (!done.digest().equals(expected.get(job))) {
      differentJobs++;
      progress.step("other rows than with the built-in shuffle: " + done);
    }
  }

  /** Restarts one process after the other, except the first of each role. */
  private void restart() throws IOException, InterruptedException {
    List<ClusterNode> nodes = new ArrayList<>();
    nodes.addAll(withoutFirst(staging.cluster().servers()));
    nodes.addAll(withoutFirst(staging.cluster().coordinators()));
    nodes.get(restarts % nodes.size()).restart();
    restarts++;
  }

  private static List<ClusterNode> withoutFirst(List<ClusterNode> nodes) {
    return nodes.subList(1, nodes.size());
  }

  /** The data that a server stores after the time in which it must delete everything. */
  private static Optional<String> awaitEmpty(ClusterNode server, ClusterProbe probe)
      throws InterruptedException {
    try {
      probe.awaitEmpty(server, EMPTY_TIMEOUT);
      return Optional.empty();
    } catch (ClusterStartException e) {
      return Optional.of(e.getMessage());
    }
  }

  private DriverMessage.JobDone run(DriverProcess driver, ShuffleJob job, int partitions)
      throws DemoException, InterruptedException {
    driver.run(job.label() + " " + partitions);
    return await(driver);
  }

  private DriverMessage.JobDone await(DriverProcess driver)
      throws DemoException, InterruptedException {
    return driver.await(DriverMessage.JobDone.class, bench.jobTimeout());
  }

  private DriverProcess startDriver(Side side, String name, Path data)
      throws DemoException, IOException, InterruptedException {
    Map<String, String> conf = new TreeMap<>(spark.sparkConf());
    conf.put("spark.master", "local-cluster[2,1,1024]");
    conf.put("spark.sql.autoBroadcastJoinThreshold", "-1");
    conf.putAll(bench.conf());
    if (side == Side.SLUICE) {
      conf.putAll(spark.sluiceConf());
      conf.putAll(bench.sluice().conf());
    }
    Path directory = staging.directory().resolve(name);
    DriverProcess driver =
        spark.startDriver(
            side,
            "io.sluice.demo.spark.TimedJobDriver",
            spark.sparkHome(directory),
            new DriverSettings(
                Workload.TPCH, Optional.empty(), plan.scale(), data, directory, conf),
            directory);
    try {
      driver.await(DriverMessage.Ready.class, READY_TIMEOUT);
      return driver;
    } catch (DemoException | InterruptedException | RuntimeException e) {
      driver.close();
      throw e;
    }
  }

  /** Keeps the samples, and logs and settings if the options require it. */
  @Override
  public boolean removeFiles(boolean good) throws IOException {
    return staging.removeFiles(
        false, List.of("spark-local", "spark-home", WorkloadData.UNFINISHED, "warehouse"));
  }
}
