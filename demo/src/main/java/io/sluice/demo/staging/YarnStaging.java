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

/** The cluster of YARN of a run, and the programs on it. Owned by the thread that runs it. */
public final class YarnStaging {
  private static final String MASTER_OPTIONS = "yarn.app.mapreduce.am.command-opts";
  private static final Duration IDLE_TIMEOUT = Duration.ofMinutes(1);

  /**
   * What a run needs.
   *
   * @param nodes how many node managers
   * @param nodeMemoryMb what each of them has for containers
   * @param jvmOptions of the process with all of them
   * @param settings Hadoop's, for servers and for jobs of both sides
   * @param limit how long all this may live at most
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
   * @param staging borrows
   */
  public YarnStaging(Staging staging, HadoopParts parts, Shape shape) {
    this.staging = staging;
    this.parts = parts;
    this.shape = shape;
  }

  Staging staging() {
    return staging;
  }

  /** Returns when the cluster takes jobs. */
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
    staging.endsBy(yarn::close);
    yarn.start();
  }

  public YarnCluster yarn() {
    return yarn;
  }

  /** What users set to have a job go one way. */
  public Map<String, String> settings(Side side) {
    Map<String, String> settings = new HashMap<>();
    if (side == Side.SLUICE) {
      settings.put("mapreduce.application.classpath", parts.clientJar().toString());
      settings.put(
          MASTER_OPTIONS,
          shape.settings().get(MASTER_OPTIONS)
              // Hadoop itself puts this behind all of these options, where it is too late.
              + " --add-opens=java.base/java.lang=ALL-UNNAMED"
              + " org.apache.hadoop.mapreduce.v2.app.RssMRAppMaster");
      settings.put(
          "mapreduce.job.map.output.collector.class",
          "org.apache.hadoop.mapred.RssMapOutputCollector");
      settings.put(
          "mapreduce.job.reduce.shuffle.consumer.plugin.class",
          "org.apache.hadoop.mapreduce.task.reduce.RssShuffle");
      settings.put("mapreduce.rss.coordinator.quorum", staging.cluster().quorum());
    }
    return settings;
  }

  /**
   * Runs a program to its end, and waits until its containers are gone.
   *
   * @param what for messages
   * @param along hears how far the job is
   * @throws DemoException if it fails
   */
  public ProgramRun run(
      String what, HadoopProgram program, Duration timeout, Consumer<String> along)
      throws DemoException, IOException, InterruptedException {
    long startNanos = System.nanoTime();
    program.start();
    staging.endsBy(program::kill);
    ProgramOutcome outcome = program.await(timeout, along);
    long elapsedMs = (System.nanoTime() - startNanos) / 1_000_000;
    if (outcome.exitCode() != 0) {
      throw DemoException.failed(
          what
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

  /** The last line that tells of a failure, or else the last one. */
  static String reason(String printed) {
    List<String> lines = printed.lines().map(String::strip).filter(one -> !one.isEmpty()).toList();
    return lines.stream()
        .filter(one -> one.contains("failed") || one.contains("Exception"))
        .reduce((one, next) -> next)
        .orElse(lines.isEmpty() ? "it printed nothing" : lines.get(lines.size() - 1));
  }

  /** Removes all but logs and settings; call when no process is left. */
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
