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

/**
 * A program that submits jobs, in a process of its own, as from a user's shell. One for each run.
 */
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
  private final List<String> words;
  private final Map<String, String> settings = new LinkedHashMap<>();
  private final List<String> arguments = new ArrayList<>();
  private Path log;
  private Process process;

  private HadoopProgram(YarnCluster cluster, String name, String... words) {
    this.cluster = cluster;
    this.name = name;
    this.words = List.of(words);
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

  /** A setting of its jobs, as with {@code -D}. */
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

  /** Starts it; {@link #await} waits for its end. */
  public HadoopProgram start() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(YarnCluster.java());
    command.addAll(JVM_OPTIONS);
    command.add("-Djava.io.tmpdir=" + cluster.temporary());
    command.addAll(List.of("-cp", classPath()));
    command.addAll(words);
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

  /** What it has printed so far. */
  public String printed() throws IOException {
    return Files.readString(log);
  }

  /** The file with what it prints. */
  public Path logFile() {
    return log;
  }

  /** Ends the program, by force; a job that it has submitted goes on. Call after its start. */
  public void kill() {
    process.destroyForcibly();
  }

  public boolean isRunning() {
    return process != null && process.isAlive();
  }

  /**
   * Waits for its end.
   *
   * @throws IOException if it has not ended after {@code timeout}; it is killed then
   */
  public ProgramOutcome await(Duration timeout) throws IOException, InterruptedException {
    return await(timeout, along -> {});
  }

  /**
   * As {@link #await(Duration)}.
   *
   * @param along hears now and then how far the job is, such as {@code map 50% reduce 0%}
   */
  public ProgramOutcome await(Duration timeout, Consumer<String> along)
      throws IOException, InterruptedException {
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    try {
      while (!process.waitFor(POLL_MS, TimeUnit.MILLISECONDS)) {
        if (System.nanoTime() - deadlineNanos > 0) {
          throw new IOException(
              name + " has not ended after " + timeout.toSeconds() + " s; log: " + log);
        }
        progressIn(printed()).ifPresent(along);
      }
      return ProgramOutcome.of(process.exitValue(), printed());
    } finally {
      process.destroyForcibly();
    }
  }

  /** How far the last job was that told so. */
  static Optional<String> progressIn(String printed) {
    return PROGRESS.matcher(printed).results().map(MatchResult::group).reduce((one, next) -> next);
  }

  public ProgramOutcome run(Duration timeout) throws IOException, InterruptedException {
    return start().await(timeout);
  }

  private String classPath() {
    return cluster.configuration() + File.pathSeparator + cluster.home().classPath();
  }

  /** The user's own Hadoop must not reach what is started here. */
  static void cleanEnvironment(Map<String, String> environment) {
    environment
        .keySet()
        .removeIf(
            key ->
                key.startsWith("HADOOP_") || key.startsWith("YARN_") || key.startsWith("MAPRED_"));
  }
}
