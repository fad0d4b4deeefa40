package io.sluice.benchmark.engine;

import io.sluice.benchmark.cluster.ProcessMeter;
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
import java.util.stream.Collectors;

/**
 * Runs shuffle-heavy jobs with Spark's built-in shuffle, through Sluice and through peers, and
 * measures the CPU time of each side: driver, executors, coordinator and servers.
 *
 * <p>As in the demo, all applications run at the same time and execute jobs in turns, so that all
 * are equally warm and affected by the same load of the machine. The side that starts changes
 * between rounds. The CPU time of a side covers the whole round, including background work, such as
 * deletion, while other sides run.
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
   * @param peers other shuffle services to compare with
   */
  record Plan(
      Workload workload,
      double scale,
      List<ShuffleJob> jobs,
      List<Integer> partitions,
      List<String> codecs,
      int warmUps,
      int executors,
      List<Peer> peers,
      BenchPlan bench) {}

  /** The application of a side. */
  private record Application(String side, DriverProcess driver, List<ProcessHandle> servers) {
    SideCpu cpu() {
      return SideCpu.of(driver.process(), servers);
    }

    SideRun.Resident resident() throws IOException {
      return new SideRun.Resident(
          resident(driver.process().descendants().toList()), resident(servers));
    }

    private static long resident(List<ProcessHandle> processes) throws IOException {
      long sum = 0;
      for (ProcessHandle process : processes) {
        if (process.isAlive()) {
          sum += new ProcessMeter(process.pid()).residentPeakBytes();
        }
      }
      return sum;
    }
  }

  private static final String DRIVER = "io.sluice.demo.spark.TimedJobDriver";

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
      progress.step(
          codec
              + ": starting "
              + (Side.values().length + plan.peers().size())
              + " Spark applications; warm-up rounds: "
              + plan.warmUps());
      try (DriverPair drivers = DriverPair.start(side -> startDriver(side, codec, data));
          PeerDrivers peers =
              PeerDrivers.start(plan.peers(), peer -> startDriver(peer, codec, data))) {
        List<Application> applications = applications(drivers, peers);
        for (int number = 0; number < plan.warmUps(); number++) {
          for (ShuffleJob job : plan.jobs()) {
            round(applications, codec, job, plan.partitions().get(0), 0);
          }
        }
        for (int number = 0; number < bench.rounds(); number++) {
          for (int partitions : plan.partitions()) {
            for (ShuffleJob job : plan.jobs()) {
              JobRound round = round(applications, codec, job, partitions, number);
              rounds.add(round);
              progress.result(rounds.size(), total, summary(round));
            }
          }
        }
      }
    }
    return new JobTable(rounds);
  }

  private List<Application> applications(DriverPair drivers, PeerDrivers peers) {
    List<Application> applications = new ArrayList<>();
    applications.add(new Application(Side.BUILT_IN.label(), drivers.of(Side.BUILT_IN), List.of()));
    applications.add(
        new Application(
            Side.SLUICE.label(), drivers.of(Side.SLUICE), SideCpu.processes(staging.nodes())));
    for (Peer peer : plan.peers()) {
      applications.add(new Application(peer.name(), peers.of(peer), peer.processes()));
    }
    return applications;
  }

  /**
   * Runs a job on all sides, one after the other.
   *
   * @param first number of the side that starts, modulo the number of sides
   */
  private JobRound round(
      List<Application> applications, String codec, ShuffleJob job, int partitions, int first)
      throws DemoException, IOException, InterruptedException {
    List<SideCpu> before = applications.stream().map(Application::cpu).toList();
    DriverMessage.JobDone[] done = new DriverMessage.JobDone[applications.size()];
    for (int i = 0; i < done.length; i++) {
      int turn = (first + i) % done.length;
      done[turn] = run(applications.get(turn).driver(), job, partitions);
    }
    List<SideRun> sides = new ArrayList<>();
    for (int i = 0; i < done.length; i++) {
      Application application = applications.get(i);
      sides.add(
          new SideRun(
              application.side(),
              done[i],
              application.cpu().since(before.get(i)),
              application.resident()));
    }
    return new JobRound(codec, sides);
  }

  private DriverMessage.JobDone run(DriverProcess driver, ShuffleJob job, int partitions)
      throws DemoException, InterruptedException {
    driver.run(job.label() + " " + partitions);
    return driver.await(DriverMessage.JobDone.class, bench.jobTimeout());
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

  /** Settings of all sides. */
  private Map<String, String> conf(String codec) {
    Map<String, String> conf = new TreeMap<>(spark.sparkConf());
    conf.put("spark.master", "local-cluster[" + plan.executors() + ",1,1024]");
    conf.put("spark.sql.autoBroadcastJoinThreshold", "-1");
    if (codec.equals("none")) {
      conf.put("spark.shuffle.compress", "false");
    } else {
      conf.put("spark.io.compression.codec", codec);
    }
    conf.putAll(bench.conf());
    return conf;
  }

  private DriverProcess startDriver(Side side, String codec, Path data)
      throws DemoException, IOException {
    Map<String, String> conf = conf(codec);
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
        DRIVER,
        environment,
        new DriverSettings(
            plan.workload(), Optional.empty(), plan.scale(), data, sideDirectory, conf),
        sideDirectory);
  }

  private DriverProcess startDriver(Peer peer, String codec, Path data) throws IOException {
    Map<String, String> conf = conf(codec);
    conf.put(
        "spark.executor.extraClassPath",
        peer.jars().stream().map(Path::toString).collect(Collectors.joining(":")));
    conf.putAll(peer.conf());
    Path directory = staging.directory().resolve(peer.name() + "-" + codec);
    return spark.startDriver(
        peer.name(),
        peer.jars(),
        DRIVER,
        spark.sparkHome(directory),
        new DriverSettings(plan.workload(), Optional.empty(), plan.scale(), data, directory, conf),
        directory);
  }

  /** Keeps logs and settings if the options require it. */
  @Override
  public boolean removeFiles(boolean good) throws IOException {
    Scratch.remove(bench.keep() ? staging.directory().resolve("spark-local") : staging.directory());
    return bench.keep();
  }
}
