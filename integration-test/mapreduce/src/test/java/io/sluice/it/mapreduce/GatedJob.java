package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.HadoopProgram;
import io.sluice.localcluster.ProgramOutcome;
import io.sluice.localcluster.YarnContainer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A streaming word count whose tasks wait at gates until the test opens them: map tasks in the
 * middle of their input, reduce tasks before their first row.
 */
final class GatedJob {
  static final int MAPS = 4;
  static final int REDUCES = 3;
  static final String SLOW_START = "mapreduce.job.reduce.slowstart.completedmaps";

  /** Few words: a waiting reduce task has read all of its rows and counts as nearly done. */
  private static final int WORDS_PER_FILE = 4_000;

  private static final long WAIT_SECONDS = 120;

  /** Line in which Hadoop's client reports the job id; the mini cluster has no list of jobs. */
  private static final Pattern SUBMITTED =
      Pattern.compile("Submitted application (application_\\d+_\\d+)");

  /** A gate is a file that exists while the gate is shut. The wait at a gate has a time limit. */
  private static final String SCRIPT =
      """
      wait_at() {
        n=0
        while [ -e "$1" ] && [ $n -lt 3000 ]; do sleep 0.1; n=$((n + 1)); done
      }
      gates=$1
      task=$mapreduce_task_partition
      attempt=${mapreduce_task_attempt_id##*_}
      case $mapreduce_task_ismap in
        true)
          # Not with head, which takes more from a pipe than it gives.
          n=0
          while [ $n -lt 20 ] && IFS= read -r line; do
            echo "$line" | tr -s ' ' '\\n'
            n=$((n + 1))
          done
          wait_at "$gates/map-$task"
          wait_at "$gates/map-$task-attempt-$attempt"
          tr -s ' ' '\\n'
          ;;
        false)
          wait_at "$gates/reduce-$task"
          wait_at "$gates/reduce-$task-attempt-$attempt"
          uniq -c
          ;;
      esac
      """;

  private final Clusters clusters;
  private final Path input;
  private final Path output;
  private final Path gates;
  private final YarnRest rest;
  private final HadoopProgram program;
  private String application;

  /** A job with Sluice; {@link #start} starts it. */
  GatedJob(Clusters clusters, String name, long seed) throws IOException {
    this(clusters, name, seed, WORDS_PER_FILE);
  }

  GatedJob(Clusters clusters, String name, long seed, int wordsPerFile) throws IOException {
    this.clusters = clusters;
    rest = new YarnRest(clusters.yarn());
    Path directory = clusters.directory(name);
    input = TestInputs.words(directory.resolve("in"), MAPS, wordsPerFile, seed);
    output = directory.resolve("out");
    gates = Files.createDirectories(directory.resolve("gates"));
    Path script = Files.writeString(directory.resolve("count-words.sh"), SCRIPT);
    String command = "bash " + script.getFileName() + " " + gates;
    program =
        HadoopProgram.of(clusters.yarn(), "org.apache.hadoop.streaming.HadoopStreaming")
            .set(clusters.throughSluice())
            .set("mapreduce.job.reduces", Integer.toString(REDUCES))
            .arguments("-files", script)
            .arguments("-input", input, "-output", output)
            .arguments("-mapper", command, "-reducer", command);
  }

  GatedJob set(String key, String value) {
    program.set(key, value);
    return this;
  }

  /** Shuts the gates of all map tasks. */
  GatedJob shutMaps() throws IOException {
    for (int map = 0; map < MAPS; map++) {
      shut("map-" + map);
    }
    return this;
  }

  /** Waits until all map tasks run, for the first time. */
  List<YarnContainer> awaitMaps() throws IOException, InterruptedException {
    List<YarnContainer> maps = new ArrayList<>();
    for (int map = 0; map < MAPS; map++) {
      maps.add(awaitAttempt("m_00000" + map + "_0"));
    }
    return maps;
  }

  /** Shuts a gate such as {@code map-2} or {@code reduce-0-attempt-0}. */
  GatedJob shut(String gate) throws IOException {
    Files.writeString(gates.resolve(gate), "");
    return this;
  }

  void open(String gate) throws IOException {
    Files.delete(gates.resolve(gate));
  }

  /** Opens all shut gates. */
  void openAll() throws IOException {
    try (Stream<Path> shut = Files.list(gates)) {
      for (Path gate : shut.toList()) {
        Files.delete(gate);
      }
    }
  }

  GatedJob start() throws IOException, InterruptedException {
    program.start();
    Matcher[] submitted = new Matcher[1];
    await(
        "the job is submitted",
        () -> {
          submitted[0] = SUBMITTED.matcher(program.printed());
          return submitted[0].find();
        });
    application = submitted[0].group(1);
    return this;
  }

  /** Id of the started job's application. */
  String application() {
    return application;
  }

  /** Waits until the application master knows that this number of tasks has succeeded. */
  void awaitFinishedTasks(int count) throws IOException, InterruptedException {
    await(count + " tasks have finished", () -> rest.completedTasks(application) >= count);
  }

  /**
   * Waits until an application master has recovered a successful map attempt of an earlier one.
   * Attempts of the first master are numbered from 0, those of the second from 1000.
   */
  void awaitRecoveredMap() throws IOException, InterruptedException {
    await(
        "the next application master has recovered finished maps",
        () -> rest.successfulMaps(application).stream().anyMatch(map -> map.endsWith("_0")));
  }

  /** Waits until the process of a container has ended. */
  void awaitExit(YarnContainer container) throws IOException, InterruptedException {
    await("container has ended: " + container, () -> !container.process().isAlive());
  }

  /** Waits for the process of a task attempt, such as {@code m_000001_0}. */
  YarnContainer awaitAttempt(String attempt) throws IOException, InterruptedException {
    return awaitContainer(attempt, container -> container.attempt().endsWith("_" + attempt));
  }

  YarnContainer master() throws IOException, InterruptedException {
    return awaitContainer("the application master", YarnContainer::isMaster);
  }

  /**
   * Kills a task attempt, or makes it fail, with the user's command, and waits until the
   * application master has processed it.
   *
   * @param command {@code -kill-task} or {@code -fail-task}
   * @param attempt such as {@code m_000001_0}
   */
  void onAttempt(String command, String attempt) throws IOException, InterruptedException {
    user(command, application.replace("application_", "attempt_") + "_" + attempt);
  }

  /** Kills the job with the user's command. */
  void kill() throws IOException, InterruptedException {
    user("-kill", application.replace("application_", "job_"));
  }

  /** Runs {@code mapred job}. */
  private void user(String command, String what) throws IOException, InterruptedException {
    ProgramOutcome outcome =
        HadoopProgram.of(clusters.yarn(), "org.apache.hadoop.mapred.JobClient")
            .arguments(command, what)
            .run(ShuffleComparison.TIMEOUT);
    assertThat(outcome.exitCode()).as(outcome.printed()).isZero();
  }

  /** The job's history files on disk, as text. */
  String history() throws IOException {
    return clusters.yarn().unfinishedHistory(application);
  }

  /** Waits for the end of the job, successful or not. */
  ProgramOutcome awaitEnd() throws IOException, InterruptedException {
    return program.await(ShuffleComparison.TIMEOUT);
  }

  /** Waits for the end of the job, and checks that every word was counted once. */
  ProgramOutcome awaitRightResult() throws IOException, InterruptedException {
    ProgramOutcome outcome = ShuffleComparison.succeeded(clusters.yarn(), awaitEnd());
    Map<String, Integer> counted = new TreeMap<>();
    for (String line : OutputFiles.text(output).lines().toList()) {
      String[] words = line.strip().split("\\s+");
      assertThat(counted.put(words[1], Integer.valueOf(words[0]))).as(words[1]).isNull();
    }
    assertThat(counted).isEqualTo(expected());
    return outcome;
  }

  private Map<String, Integer> expected() throws IOException {
    Map<String, Integer> expected = new TreeMap<>();
    for (String word : OutputFiles.text(input).strip().split("\\s+")) {
      expected.merge(word, 1, Integer::sum);
    }
    return expected;
  }

  private YarnContainer awaitContainer(String what, Predicate<YarnContainer> wanted)
      throws IOException, InterruptedException {
    YarnContainer[] found = new YarnContainer[1];
    await(
        what + " runs",
        () -> {
          Optional<YarnContainer> first =
              clusters.yarn().containers().stream()
                  .filter(container -> container.application().equals(application))
                  .filter(wanted)
                  .findFirst();
          first.ifPresent(container -> found[0] = container);
          return first.isPresent();
        });
    return found[0];
  }

  /**
   * Waits for a condition; fails with the job's output if the job has ended, or after a timeout.
   */
  void await(String what, ClusterProbe.Condition condition)
      throws IOException, InterruptedException {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    while (true) {
      boolean running = program.isRunning();
      if (condition.isMet()) {
        return;
      }
      if (!running || System.nanoTime() - deadlineNanos > 0) {
        // Lets the job end soon, so that the next job can use the cluster.
        openAll();
        throw new AssertionError(
            "condition not reached: "
                + what
                + ", the program runs: "
                + running
                + "\n"
                + program.printed());
      }
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }
}
