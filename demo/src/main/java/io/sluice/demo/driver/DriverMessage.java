package io.sluice.demo.driver;

import java.util.List;
import java.util.Optional;

/**
 * A message from the driver to the demo, one line each. Other output of the driver is ignored.
 *
 * <pre>
 *   line    = "@sluice-demo" TAB kind { TAB field }
 *   command = "run" SPACE query                   (demo to driver; end of input stops the driver)
 *           | "run" SPACE job SPACE partitions      (benchmark to driver)
 * </pre>
 */
public sealed interface DriverMessage {
  String PREFIX = "@sluice-demo";
  String RUN = "run ";

  /** The driver has executors and tables, and waits for commands. */
  record Ready(String application) implements DriverMessage {}

  /** Progress of a long step. */
  record Progress(String step, int done, int total) implements DriverMessage {}

  /**
   * Result of a query whose rows have been saved. Shuffle bytes are those of Spark's task metrics.
   */
  record Result(
      String query,
      long rows,
      long elapsedMs,
      String digest,
      long shuffleWrittenBytes,
      long shuffleReadBytes)
      implements DriverMessage {}

  /**
   * Result of a benchmark job. Shuffle bytes are those of Spark's task metrics.
   *
   * @param mapCpuMs CPU time of executors during stages that read no shuffle; 0: not measured
   * @param reduceCpuMs CPU time of executors during the other stages; 0: not measured
   */
  record JobDone(
      String job,
      int partitions,
      String digest,
      long elapsedMs,
      long shuffleWrittenBytes,
      long shuffleReadBytes,
      long mapCpuMs,
      long reduceCpuMs)
      implements DriverMessage {}

  /** A step failed; the stack trace is in the driver's log. */
  record Failed(String task, String reason) implements DriverMessage {
    public static Failed of(String task, Exception cause) {
      return new Failed(task, String.valueOf(cause.getMessage()));
    }
  }

  /** Line of the message, without line end. */
  default String line() {
    List<String> fields;
    if (this instanceof Ready ready) {
      fields = List.of("ready", ready.application());
    } else if (this instanceof Progress progress) {
      fields =
          List.of(
              "progress",
              progress.step(),
              Integer.toString(progress.done()),
              Integer.toString(progress.total()));
    } else if (this instanceof Result result) {
      fields =
          List.of(
              "result",
              result.query(),
              Long.toString(result.rows()),
              Long.toString(result.elapsedMs()),
              result.digest(),
              Long.toString(result.shuffleWrittenBytes()),
              Long.toString(result.shuffleReadBytes()));
    } else if (this instanceof JobDone job) {
      fields =
          List.of(
              "job",
              job.job(),
              Integer.toString(job.partitions()),
              job.digest(),
              Long.toString(job.elapsedMs()),
              Long.toString(job.shuffleWrittenBytes()),
              Long.toString(job.shuffleReadBytes()),
              Long.toString(job.mapCpuMs()),
              Long.toString(job.reduceCpuMs()));
    } else {
      Failed failed = (Failed) this;
      fields = List.of("failed", failed.task(), oneLine(failed.reason()));
    }
    return PREFIX + "\t" + String.join("\t", fields);
  }

  /** Parses a line; empty if it is not a message. */
  static Optional<DriverMessage> parse(String line) {
    if (!line.startsWith(PREFIX + "\t")) {
      return Optional.empty();
    }
    String[] fields = line.split("\t", -1);
    try {
      return Optional.of(
          switch (fields[1]) {
            case "ready" -> new Ready(fields[2]);
            case "progress" ->
                new Progress(fields[2], Integer.parseInt(fields[3]), Integer.parseInt(fields[4]));
            case "result" ->
                new Result(
                    fields[2],
                    Long.parseLong(fields[3]),
                    Long.parseLong(fields[4]),
                    fields[5],
                    Long.parseLong(fields[6]),
                    Long.parseLong(fields[7]));
            case "job" ->
                new JobDone(
                    fields[2],
                    Integer.parseInt(fields[3]),
                    fields[4],
                    Long.parseLong(fields[5]),
                    Long.parseLong(fields[6]),
                    Long.parseLong(fields[7]),
                    Long.parseLong(fields[8]),
                    Long.parseLong(fields[9]));
            case "failed" -> new Failed(fields[2], fields[3]);
            default -> throw new IllegalArgumentException("unknown kind " + fields[1]);
          });
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      throw new IllegalArgumentException("invalid message from the driver: " + line, e);
    }
  }

  private static String oneLine(String text) {
    return text.lines().findFirst().orElse("no reason given").replace('\t', ' ').strip();
  }
}
