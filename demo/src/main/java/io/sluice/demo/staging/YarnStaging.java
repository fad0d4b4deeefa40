package io.sluice.demo.staging;

import io.sluice.localcluster.HadoopHome;
import io.sluice.localcluster.HadoopProgram;
import io.sluice.localcluster.ProgramOutcome;
import io.sluice.localcluster.YarnCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** YARN cluster of a run, and the programs on it. Used by the thread of the run. */
public final class YarnStaging {
  private static final String MASTER_OPTIONS = "yarn.app.mapreduce.am.command-opts";
  private static final Duration IDLE_TIMEOUT = Duration.ofMinutes(1);

  /**
   * Parameters of the YARN cluster.
   *
   * @param nodes number of node managers
   * @param nodeMemoryMb memory of each node manager for containers
   * @param jvmOptions JVM options of the mini cluster's process
   * @param settings Hadoop settings of servers and of jobs of both sides
   * @param limit maximum run time of the cluster
   */
  public record Shape(
      int nodes,
      int nodeMemoryMb,
      List<String> jvmOptions,
      Map<String, String> settings,
      Duration limit) {}

  private final Staging staging;
  private final HadoopParts parts;
  private final Shape shape;
  private YarnCluster yarn;

  /**
   * @param staging borrowed
   */
  public YarnStaging(Staging staging, HadoopParts parts, Shape shape) {
    this.staging = staging;
    this.parts = parts;
    this.shape = shape;
  }

  Staging staging() {
    return staging;
  }

  /** Starts the cluster; returns when it accepts jobs. */
  public void start() throws IOException, InterruptedException {
    HadoopHome home = HadoopHome.resolved(parts.jarList(), directory().resolve("jars"));
    yarn =
        new YarnCluster(
            new YarnCluster.Plan(
                directory().resolve("cluster"),
                home,
                parts.hostJar(),
                shape.nodes(),
                shape.nodeMemoryMb(),
                shape.jvmOptions(),
                shape.settings(),
                shape.limit()));
    staging.addKillAction(yarn::close);
    yarn.start();
  }

  public YarnCluster yarn() {
    return yarn;
  }

  /** Job settings that select a side. */
  public Map<String, String> settings(Side side) {
    Map<String, String> settings = new HashMap<>();
    if (side == Side.SLUICE) {
      settings.putAll(staging.access().mapReduce());
      settings.put("mapreduce.application.classpath", parts.clientJar().toString());
      settings.put(
          MASTER_OPTIONS,
          shape.settings().get(MASTER_OPTIONS)
              // Hadoop appends this option after the main class, where it has no effect.
              + " --add-opens=java.base/java.lang=ALL-UNNAMED"
              + " org.apache.hadoop.mapreduce.v2.app.RssMRAppMaster");
      settings.put(
          "mapreduce.job.map.output.collector.class",
          "org.apache.hadoop.mapred.RssMapOutputCollector");
      settings.put(
          "mapreduce.job.reduce.shuffle.consumer.plugin.class",
          "org.apache.hadoop.mapreduce.task.reduce.RssShuffle");
      settings.put("mapreduce.rss.coordinator.quorum", staging.cluster().quorum());
      settings.put("mapreduce.rss.access.timeout.ms", Staging.ACCESS_TIMEOUT);
    }
    return settings;
  }

  /**
   * Runs a program and waits until its containers have ended.
   *
   * @param title name for messages
   * @param progressListener called with the progress of the job
   * @throws DemoException if the program fails
   */
  public ProgramRun run(
      String title, HadoopProgram program, Duration timeout, Consumer<String> progressListener)
      throws DemoException, IOException, InterruptedException {
    long startNanos = System.nanoTime();
    program.start();
    staging.addKillAction(program::kill);
    ProgramOutcome outcome = program.await(timeout, progressListener);
    long elapsedMs = (System.nanoTime() - startNanos) / 1_000_000;
    if (outcome.exitCode() != 0) {
      throw DemoException.failed(
          title
              + " failed with exit code "
              + outcome.exitCode()
              + ": "
              + reason(outcome.printed())
              + "; log: "
              + program.logFile());
    }
    yarn.awaitIdle(IDLE_TIMEOUT);
    return new ProgramRun(elapsedMs, outcome);
  }

  /** Last line with a failure, or else the last line. */
  static String reason(String printed) {
    List<String> lines = printed.lines().map(String::strip).filter(one -> !one.isEmpty()).toList();
    return lines.stream()
        .filter(one -> one.contains("failed") || one.contains("Exception"))
        .reduce((one, next) -> next)
        .orElse(lines.isEmpty() ? "it printed nothing" : lines.get(lines.size() - 1));
  }

  /** Deletes all files but logs and settings. Call after all processes have ended. */
  public void removeData() throws IOException {
    Scratch.remove(directory().resolve("jars"));
    if (yarn != null) {
      for (Path data : yarn.dataDirectories()) {
        Scratch.remove(data);
      }
    }
  }

  private Path directory() {
    return staging.directory().resolve("yarn");
  }
}
