package io.sluice.mr;

import com.google.protobuf.InvalidProtocolBufferException;
import io.sluice.client.coordinator.LongestWaits;
import io.sluice.client.push.PushCounters;
import io.sluice.client.read.ReadCounters;
import io.sluice.client.server.ServerTimes;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.ServerTime;
import io.sluice.proto.ShuffleReads;
import io.sluice.proto.TaskReport;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports of tasks to their application master: bytes, and waits for servers. A report is sent as a
 * diagnostic text, which is Hadoop's only call from a task with a text of any length. The master
 * does not show it.
 *
 * <pre>
 *  text   "#sluice-task=", then message TaskReport in Base64
 * </pre>
 */
public final class TaskReports {
  private static final Logger LOG = LoggerFactory.getLogger(TaskReports.class);

  private static final String PREFIX = "#sluice-task=";

  /** Hadoop cuts texts of more than 21,845 characters; a name of a server has at most 256 bytes. */
  static final int MAX_SERVERS = 40;

  /** Hadoop's call for diagnostic texts. */
  public interface Master {
    void reportDiagnosticInfo(TaskAttemptID attempt, String text) throws IOException;
  }

  private TaskReports() {}

  /** Sends a report. Without it, only its numbers are missing, so failures are logged. */
  public static void send(Master master, TaskAttemptID attempt, TaskReport report) {
    try {
      master.reportDiagnosticInfo(attempt, text(report));
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "report to the application master failed attempt={} reason=\"{}\"",
          attempt,
          e.toString());
    }
  }

  static String text(TaskReport report) {
    return PREFIX + Base64.getEncoder().encodeToString(report.toByteArray());
  }

  /** Whether a diagnostic text is a report. */
  public static boolean isReport(String text) {
    return text.startsWith(PREFIX);
  }

  /**
   * Decodes a report.
   *
   * @throws SluiceException BAD_MESSAGE if it is malformed
   */
  public static TaskReport parse(String text) throws SluiceException {
    try {
      return TaskReport.parseFrom(Base64.getDecoder().decode(text.substring(PREFIX.length())));
    } catch (IllegalArgumentException | InvalidProtocolBufferException e) {
      throw new SluiceException(
          StatusCode.BAD_MESSAGE, "malformed report of a task, characters=" + text.length(), e);
    }
  }

  /** The report of a map attempt that has pushed its output. */
  public static TaskReport ofPush(PushCounters push) {
    long localBytes = push.rerouted().localBytes();
    return TaskReport.newBuilder()
        .setPushedBytes(Math.max(0, push.bytes() - localBytes))
        .setLocalWrittenBytes(localBytes)
        .setPushRetries(push.retries())
        .setReplacementServers(push.rerouted().replacementServers())
        .addAllServers(
            servers(
                push.servers(),
                (time, server) ->
                    server.setPushedBytes(time.bytes()).setPushWaitMs(millis(time.waitNanos()))))
        .build();
  }

  /**
   * The report of a map attempt whose node manager has the output, because servers did not accept
   * it.
   */
  public static TaskReport ofLocalOutput(long bytes) {
    return TaskReport.newBuilder().setLocalWrittenBytes(bytes).build();
  }

  /**
   * The report of a reduce attempt that has read the outputs of all map tasks.
   *
   * @param durationMs sum of the durations of its reads
   */
  public static TaskReport ofReads(ReadCounters read, long durationMs) {
    return TaskReport.newBuilder()
        .setReadBytes(read.bytes())
        .setReadRetries(read.requests().retries())
        .addAllServers(
            servers(
                read.servers(),
                (time, server) ->
                    server.setReadBytes(time.bytes()).setReadWaitMs(millis(time.waitNanos()))))
        .addShuffles(
            ShuffleReads.newBuilder()
                .setShuffle(AssignmentVariable.SHUFFLE)
                .setReads(1)
                .setBytes(read.bytes())
                .setDurationMs(durationMs)
                .setLongestMs(durationMs)
                .setLongestBytes(read.bytes()))
        .build();
  }

  /** The servers with the longest waits. */
  private static List<ServerTime> servers(
      ServerTimes times,
      BiFunction<ServerTimes.ServerTime, ServerTime.Builder, ServerTime.Builder> bytesAndWait) {
    return LongestWaits.of(
        times.byServer().entrySet().stream()
            .map(
                server ->
                    bytesAndWait
                        .apply(
                            server.getValue(), ServerTime.newBuilder().setServer(server.getKey()))
                        .setMemoryWaitMs(millis(server.getValue().memoryNanos()))
                        .setDiskWaitMs(millis(server.getValue().diskNanos()))
                        .build()),
        MAX_SERVERS);
  }

  private static long millis(long nanos) {
    return TimeUnit.NANOSECONDS.toMillis(nanos);
  }
}
