package io.sluice.demo.driver;

import java.util.List;
import java.util.Optional;

/**
 * A line from the driver to the demo. Everything else that the driver prints is not for the demo.
 *
 * <pre>
 *   line    = "@sluice-demo" TAB kind { TAB field }
 *   command = "run" SPACE query                   (demo to driver; end of input ends the driver)
 *           | "run" SPACE job SPACE partitions      (benchmark to driver)
 * </pre>
 */
public sealed interface DriverMessage {
  String PREFIX = "@sluice-demo";
  String RUN = "run ";

  /** The driver has its executors and its tables and waits for commands. */
  record Ready(String application) implements DriverMessage {}

  /** Part of a long step is done. */
  record Progress(String step, int done, int total) implements DriverMessage {}

  /** One query has run and its rows are saved. Shuffle bytes are Spark's own task metrics. */
  record Result(
      String query,
      long rows,
      long elapsedMs,
      String digest,
      long shuffleWrittenBytes,
      long shuffleReadBytes)
      implements DriverMessage {}

  /** One job of a benchmark has run. Shuffle bytes are Spark's own task metrics. */
  record JobDone(
      String job,
      int partitions,
      String digest,
      long elapsedMs,
      long shuffleWrittenBytes,
      long shuffleReadBytes)
      implements DriverMessage {}

  /** A step failed; the stack trace is in the driver's log. */
  record Failed(String what, String reason) implements DriverMessage {
    public static Failed of(String what, Exception cause) {
      return new Failed(what, String.valueOf(cause.getMessage()));
    }
  }

  /** The line that says this, without line end. */
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
              Long.toString(job.shuffleReadBytes()));
    } else {
      Failed failed = (Failed) this;
      fields = List.of("failed", failed.what(), oneLine(failed.reason()));
    }
    return PREFIX + "\t" + String.join("\t", fields);
  }

  /** The message of a line; empty if the line is none. */
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
                    Long.parseLong(fields[7]));
            case "failed" -> new Failed(fields[2], fields[3]);
            default -> throw new IllegalArgumentException("unknown kind " + fields[1]);
          });
    } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      throw new IllegalArgumentException(
          "the driver said what the demo does not understand: " + line, e);
    }
  }

  private static String oneLine(String text) {
    return text.lines().findFirst().orElse("no reason given").replace('\t', ' ').strip();
  }
}
