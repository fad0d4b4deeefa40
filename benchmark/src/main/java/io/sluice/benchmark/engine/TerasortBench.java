package io.sluice.benchmark.engine;

import io.sluice.demo.ComparedResults;
import io.sluice.demo.Comparison;
import io.sluice.demo.JobOutput;
import io.sluice.demo.ProgramComparison;
import io.sluice.demo.ProgramTurn;
import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.DemoProgress;
import io.sluice.demo.staging.HadoopParts;
import io.sluice.demo.staging.ProgramRun;
import io.sluice.demo.staging.Scratch;
import io.sluice.demo.staging.Side;
import io.sluice.demo.staging.Staging;
import io.sluice.demo.staging.TeraRows;
import io.sluice.demo.staging.WorkloadData;
import io.sluice.demo.staging.YarnStaging;
import io.sluice.localcluster.ClusterCounters;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.HadoopProgram;
import io.sluice.localcluster.YarnCluster;
import io.sluice.localcluster.YarnCpu;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Runs terasort alternately with Hadoop's built-in shuffle and through Sluice, and measures the CPU
 * time of each side: containers, YARN processes, and Sluice's coordinator and servers.
 *
 * <p>The side that starts alternates between rounds. The CPU time of a run is measured from the
 * start of the program until its last container has ended. The program that submits the job is not
 * included, because it is the same for both sides.
 */
final class TerasortBench implements Comparison {
  private static final int MASTER_MEMORY_MB = 512;
  private static final int TASK_MEMORY_MB = 1024;

  /** Heap of a task; smaller than its container, as usual in Hadoop. */
  private static final String TASK_HEAP = "-Xmx800m";

  /** Maximum number of files of teragen. Each needs a container, and the cluster is small. */
  private static final int MAX_TERA_FILES = 8;

  /** Copies of the data on disk: map output, merged map output, and result. */
  private static final int COPIES = 3;

  /**
   * Parameters of a benchmark.
   *
   * @param bytes bytes to sort
   * @param containers number of concurrent tasks
   * @param taskJavaOptions JVM options of map and reduce tasks of both sides
   */
  record Plan(
      long bytes,
      int maps,
      int reduces,
      int containers,
      List<String> taskJavaOptions,
      BenchPlan bench) {

    long rows() {
      return bytes / TeraRows.ROW_BYTES;
    }

    /** Number of files, so that each is read by the same number of map tasks. */
    int files() {
      int files = Math.min(MAX_TERA_FILES, maps);
      while (maps % files != 0) {
        files--;
      }
      return files;
    }

    /** Bytes that a map task reads; the last task of a file may read less. */
    long splitBytes() {
      long rowsPerFile = -Math.floorDiv(-rows(), files());
      return -Math.floorDiv(-rowsPerFile, maps / files()) * TeraRows.ROW_BYTES;
    }

    /** Maximum disk space of a run, including the rows if they must be generated. */
    long diskBytes(Path workDirectory) {
      boolean there = Files.isDirectory(TeraRows.directory(workDirectory, rows(), files()));
      return bytes * (COPIES + (there ? 0 : 1));
    }

    /** Hadoop settings of servers and of jobs of both sides. */
    Map<String, String> settings() {
      Map<String, String> settings = new HashMap<>(YarnCluster.smallJobs());
      String taskOptions = String.join(" ", taskJavaOptions);
      settings.put("yarn.app.mapreduce.am.resource.mb", "" + MASTER_MEMORY_MB);
      settings.put("yarn.app.mapreduce.am.command-opts", "-Xmx400m");
      for (String task : List.of("map", "reduce")) {
        settings.put("mapreduce." + task + ".memory.mb", "" + TASK_MEMORY_MB);
        settings.put("mapreduce." + task + ".java.opts", (TASK_HEAP + " " + taskOptions).strip());
      }
      // Hadoop's default; smallJobs() sets less.
      settings.put("mapreduce.task.io.sort.mb", "100");
      // Reduce tasks that wait for map tasks would occupy containers that the map tasks need.
      settings.put("mapreduce.job.reduce.slowstart.completedmaps", "1.0");
      settings.putAll(bench.conf());
      return settings;
    }
  }

  private final Plan plan;
  private final BenchPlan bench;
  private final Staging staging;
  private final YarnStaging yarn;
  private final DemoProgress progress;

  /**
   * @param staging borrowed; must be started before {@link #run}
   */
  TerasortBench(Plan plan, Staging staging, HadoopParts parts, DemoProgress progress) {
    this.plan = plan;
    this.bench = plan.bench();
    this.staging = staging;
    this.progress = progress;
    this.yarn =
        new YarnStaging(
            staging,
            parts,
            new YarnStaging.Shape(
                1,
                MASTER_MEMORY_MB + plan.containers() * TASK_MEMORY_MB,
                List.of("-Xmx1g"),
                plan.settings(),
                plan.bench().jobTimeout().multipliedBy(2L * plan.bench().rounds() + 2)));
  }

  /** Result and CPU time of one side. */
  private record SideRun(ProgramTurn program, YarnCpu cpu, long serversMs) {}

  @Override
  public TerasortTable run() throws DemoException, IOException, InterruptedException {
    progress.step("starting Sluice with " + bench.sluice().servers() + " servers, and YARN");
    bench.sluice().start(staging);
    yarn.start();
    TeraRows rows = TeraRows.ensure(plan.rows(), plan.files(), yarn, bench.jobTimeout(), progress);
    WorkloadData.readAhead(rows.directory());
    progress.step("terasort, " + bench.rounds() + " rounds on both sides");
    List<TerasortRound> rounds = new ArrayList<>();
    try (ClusterProbe probe = new ClusterProbe(staging.cluster())) {
      while (rounds.size() < bench.rounds()) {
        rounds.add(round(rows, rounds.size(), probe));
        progress.result(rounds.size(), bench.rounds(), summary(rounds.get(rounds.size() - 1)));
      }
    }
    return new TerasortTable(plan.bytes(), plan.maps(), plan.reduces(), rounds);
  }

  private TerasortRound round(TeraRows rows, int number, ClusterProbe probe)
      throws DemoException, IOException, InterruptedException {
    ComparedResults<SideRun> turns =
        ComparedResults.sequentially(Side.first(number), side -> turn(side, rows, number, probe));
    return new TerasortRound(
        ProgramComparison.of(
            "terasort, round " + (number + 1),
            new ComparedResults<>(turns.builtIn().program(), turns.sluice().program()),
            List.of()),
        turns.builtIn().cpu(),
        turns.sluice().cpu(),
        turns.sluice().serversMs());
  }

  private SideRun turn(Side side, TeraRows rows, int number, ClusterProbe probe)
      throws DemoException, IOException, InterruptedException {
    String title = "round " + (number + 1) + ", " + side.inHadoop();
    progress.advance(number, bench.rounds(), title);
    Path output = staging.directory().resolve("output");
    HadoopProgram terasort =
        HadoopProgram.example(yarn.yarn(), "terasort")
            .set("mapreduce.job.reduces", Integer.toString(plan.reduces()))
            .set("mapreduce.terasort.simplepartitioner", "true")
            .set("mapreduce.input.fileinputformat.split.minsize", "" + plan.splitBytes())
            .set("mapreduce.input.fileinputformat.split.maxsize", "" + plan.splitBytes())
            .set(yarn.settings(side))
            .set(side == Side.SLUICE ? bench.sluice().conf() : Map.of())
            .arguments(rows.directory(), output);
    ClusterCounters serversBefore = probe.counters();
    YarnCpu cpuBefore = yarn.yarn().cpu();
    long nodesBefore = SideCpu.nodesMs(staging.nodes());
    ProgramRun run =
        yarn.run(
            title,
            terasort,
            bench.jobTimeout(),
            jobProgress -> progress.advance(number, bench.rounds(), title + ", " + jobProgress));
    long serversMs = SideCpu.nodesMs(staging.nodes()) - nodesBefore;
    YarnCpu cpu = yarn.yarn().cpu().since(cpuBefore);
    ClusterCounters servers = probe.counters().since(serversBefore);
    checkMaps(run);
    JobOutput files = JobOutput.of(output);
    Scratch.remove(output);
    return new SideRun(new ProgramTurn(run, files, servers), cpu, serversMs);
  }

  private void checkMaps(ProgramRun run) throws DemoException {
    long maps =
        run.counter("Launched map tasks")
            - run.counter("Failed map tasks")
            - run.counter("Killed map tasks");
    if (maps != plan.maps()) {
      throw DemoException.failed(
          "--maps " + plan.maps() + ": the job ran " + maps + " map tasks; choose another --size");
    }
  }

  private static String summary(TerasortRound round) {
    ProgramComparison both = round.comparison();
    return String.format(
        Locale.ROOT,
        "CPU %.1f and %.1f s: %.2f times, time %.1f and %.1f s: %.2f times, same: %s",
        round.builtInCpu().totalMs() / 1000.0,
        round.sluiceTotalMs() / 1000.0,
        round.cpuRatio(),
        both.builtIn().elapsedMs() / 1000.0,
        both.sluice().elapsedMs() / 1000.0,
        round.timeRatio(),
        both.verdict().label());
  }

  /** Keeps logs and settings after a failure. */
  @Override
  public boolean removeFiles(boolean good) throws IOException {
    yarn.removeData();
    return staging.removeFiles(good && !bench.keep(), List.of("teragen", "output"));
  }
}
