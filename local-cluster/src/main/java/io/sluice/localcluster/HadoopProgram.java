package io.sluice.localcluster;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** A process that submits MapReduce jobs, as from a user's shell. One instance for each run. */
public final class HadoopProgram {
  private static final List<String> JVM_OPTIONS =
      List.of(
          "-Xmx256m",
          "-XX:+UseSerialGC",
          "-XX:TieredStopAtLevel=1",
          "--add-opens=java.base/java.lang=ALL-UNNAMED");

  private static final long POLL_MS = 500;
  private static final Pattern PROGRESS = Pattern.compile("map \\d+% reduce \\d+%");

  private final YarnCluster cluster;
  private final String name;
  private final List<String> mainClassAndArguments;
  private final Map<String, String> settings = new LinkedHashMap<>();
  private final List<String> arguments = new ArrayList<>();
  private Path log;
  private Process process;

  private HadoopProgram(YarnCluster cluster, String name, String... mainClassAndArguments) {
    this.cluster = cluster;
    this.name = name;
    this.mainClassAndArguments = List.of(mainClassAndArguments);
  }

  /** One of Hadoop's example programs, such as {@code wordcount}. */
  public static HadoopProgram example(YarnCluster cluster, String name) {
    return new HadoopProgram(cluster, name, "org.apache.hadoop.examples.ExampleDriver", name);
  }

  /** Any main class of the Hadoop home. */
  public static HadoopProgram of(YarnCluster cluster, String mainClass) {
    return new HadoopProgram(
        cluster, mainClass.substring(mainClass.lastIndexOf('.') + 1), mainClass);
  }

  /** Adds a setting of the jobs, as with {@code -D}. */
  public HadoopProgram set(String key, String value) {
    settings.put(key, value);
    return this;
  }

  public HadoopProgram set(Map<String, String> more) {
    settings.putAll(more);
    return this;
  }

  public HadoopProgram arguments(Object... more) {
    for (Object argument : more) {
      arguments.add(argument.toString());
    }
    return this;
  }

  /** Starts the process; {@link #await} waits for its end. */
  public HadoopProgram start() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(YarnCluster.java());
    command.addAll(JVM_OPTIONS);
    command.add("-Djava.io.tmpdir=" + cluster.temporary());
    command.addAll(List.of("-cp", classPath()));
    command.addAll(mainClassAndArguments);
    settings.forEach((key, value) -> command.add("-D" + key + "=" + value));
    command.addAll(arguments);
    Path logs = Files.createDirectories(cluster.directory().resolve("programs"));
    log = Files.createTempFile(logs, name + "-", ".log");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(cluster.directory().toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    cleanEnvironment(builder.environment());
    process = builder.start();
    process.getOutputStream().close();
    return this;
  }

  /** Output of the process until now. */
  public String printed() throws IOException {
    return Files.readString(log);
  }

  /** File with the output of the process. */
  public Path logFile() {
    return log;
  }

  /** Kills the process; a job that it has submitted continues. Call after {@link #start}. */
  public void kill() {
    process.destroyForcibly();
  }

  public boolean isRunning() {
    return process != null && process.isAlive();
  }

  /**
   * Waits for the process to end.
   *
   * @throws IOException if it still runs after {@code timeout}; it is killed then
   */
  public ProgramOutcome await(Duration timeout) throws IOException, InterruptedException {
    return await(timeout, progressListener -> {});
  }

  /**
   * As {@link #await(Duration)}.
   *
   * @param progressListener called from time to time with the progress of the job, such as {@code
   *     map 50% reduce 0%}
   */
  public ProgramOutcome await(Duration timeout, Consumer<String> progressListener)
      throws IOException, InterruptedException {
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    try {
      while (!process.waitFor(POLL_MS, TimeUnit.MILLISECONDS)) {
        if (System.nanoTime() - deadlineNanos > 0) {
          throw new IOException(
              name + " still ran after " + timeout.toSeconds() + " s and was killed; log: " + log);
        }
        progressIn(printed()).ifPresent(progressListener);
      }
      return ProgramOutcome.of(process.exitValue(), printed());
    } finally {
      process.destroyForcibly();
    }
  }

  /** Last progress that the output reports. */
  static Optional<String> progressIn(String printed) {
    return PROGRESS.matcher(printed).results().map(MatchResult::group).reduce((one, next) -> next);
  }

  public ProgramOutcome run(Duration timeout) throws IOException, InterruptedException {
    return start().await(timeout);
  }

  private String classPath() {
    return cluster.configuration() + File.pathSeparator + cluster.home().classPath();
  }

  /** Removes the user's Hadoop settings, so that they do not affect the started processes. */
  static void cleanEnvironment(Map<String, String> environment) {
    environment
        .keySet()
        .removeIf(
            key ->
                key.startsWith("HADOOP_") || key.startsWith("YARN_") || key.startsWith("MAPRED_"));
  }
}
