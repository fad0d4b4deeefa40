package io.sluice.benchmark.engine;

import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.SparkHome;
import io.sluice.demo.staging.SparkHomeOption;
import io.sluice.demo.staging.SparkStaging;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sluice bench soak}. */
@Command(
    name = "soak",
    description = {
      "Run Spark applications one after the other for a long time, with restarts of servers and "
          + "coordinators, and compare the memory, descriptors, threads, files and catalog of each "
          + "process that was not restarted at the begin and at the end. In a run of less than "
          + SoakTable.MIN_MINUTES
          + " minutes, growth is no failure.",
      "Rows are compared with those of the built-in shuffle. Samples are kept in the file soak.csv "
          + "of the run's directory; `bench report` draws them from the file of --json.",
      "All processes are started on loopback and stopped at the end."
    },
    sortOptions = false)
public final class SoakCommand extends EngineBenchCommand {
  private static final int MIN_SERVERS = 2;

  @Option(
      names = "--scale",
      paramLabel = "FACTOR",
      defaultValue = "0.1",
      description =
          "Scale factor of the TPC-H data; 1 is about 1 GB before compression. Default: "
              + "${DEFAULT-VALUE}.")
  private double scale;

  @Option(
      names = "--coordinators",
      paramLabel = "N",
      defaultValue = "3",
      description = "Number of coordinators; several share their state. Default: ${DEFAULT-VALUE}.")
  private int coordinators;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "120",
      description = "Length of the run. Default: ${DEFAULT-VALUE}.")
  private int minutes;

  @Option(
      names = "--application-minutes",
      paramLabel = "N",
      defaultValue = "8",
      description = "Length of one application. Default: ${DEFAULT-VALUE}.")
  private int applicationMinutes;

  @Option(
      names = "--restart-minutes",
      paramLabel = "N",
      defaultValue = "5",
      description = "Time between two restarts of a process. Default: ${DEFAULT-VALUE}.")
  private int restartMinutes;

  @Option(
      names = "--sample-seconds",
      paramLabel = "N",
      defaultValue = "10",
      description = "Time between two samples. Default: ${DEFAULT-VALUE}.")
  private int sampleSeconds;

  @Option(
      names = "--job-timeout",
      paramLabel = "MINUTES",
      defaultValue = "20",
      description = "Timeout of one job. Default: ${DEFAULT-VALUE}.")
  private int jobTimeoutMinutes;

  @Mixin private SparkHomeOption sparkHome = new SparkHomeOption();

  @Override
  protected Opening opening() throws DemoException {
    scale(scale);
    atLeastOne("--coordinators", coordinators);
    atLeastOne("--minutes", minutes);
    atLeastOne("--application-minutes", applicationMinutes);
    atLeastOne("--restart-minutes", restartMinutes);
    atLeastOne("--sample-seconds", sampleSeconds);
    BenchPlan bench = benchPlan(1, "--job-timeout", jobTimeoutMinutes);
    if (bench.sluice().servers() < MIN_SERVERS) {
      throw DemoException.usage(
          "--servers " + bench.sluice().servers() + ": expected at least 2; one is not restarted");
    }
    SoakBench.Plan plan =
        new SoakBench.Plan(
            scale,
            coordinators,
            Duration.ofMinutes(minutes),
            Duration.ofMinutes(applicationMinutes),
            Duration.ofMinutes(restartMinutes),
            Duration.ofSeconds(sampleSeconds),
            bench);
    SparkHome spark = sparkHome.find(System.getenv());
    return (staging, progress) -> new SoakBench(plan, new SparkStaging(staging, spark), progress);
  }
}
