package io.sluice.mr.am;

import io.sluice.client.coordinator.LongestWaits;
import io.sluice.mr.AssignmentVariable;
import io.sluice.proto.ServerTime;
import io.sluice.proto.ShuffleReads;
import io.sluice.proto.TaskReport;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;

/**
 * Sums of the reports of a job's tasks, and the number of its concurrent tasks, since the start of
 * this application master. Bounded, except for one entry for each server ever used. Thread-safe.
 */
final class JobTasks {
  /** Maximum number of servers in a report. */
  static final int MAX_SERVERS = 64;

  // All guarded by this.
  private final Set<TaskAttemptId> running = new HashSet<>();
  private int maxRunning;

  /** Without servers and reads. */
  private TaskReport sums = TaskReport.getDefaultInstance();

  private final Map<String, ServerTime> servers = new HashMap<>();
  private ShuffleReads reads = ShuffleReads.getDefaultInstance();

  synchronized void started(TaskAttemptId attempt) {
    running.add(attempt);
    maxRunning = Math.max(maxRunning, running.size());
  }

  /** The attempt may not have started. */
  synchronized void ended(TaskAttemptId attempt) {
    running.remove(attempt);
  }

  /** Adds the report of a task. */
  synchronized void add(TaskReport report) {
    sums =
        TaskReport.newBuilder()
            .setPushedBytes(sums.getPushedBytes() + report.getPushedBytes())
            .setLocalWrittenBytes(sums.getLocalWrittenBytes() + report.getLocalWrittenBytes())
            .setReadBytes(sums.getReadBytes() + report.getReadBytes())
            .setPushRetries(sums.getPushRetries() + report.getPushRetries())
            .setReadRetries(sums.getReadRetries() + report.getReadRetries())
            .setReplacementServers(sums.getReplacementServers() + report.getReplacementServers())
            .build();
    report.getServersList().forEach(time -> servers.merge(time.getServer(), time, JobTasks::sum));
    report.getShufflesList().forEach(more -> reads = sum(reads, more));
  }

  private static ServerTime sum(ServerTime one, ServerTime more) {
    return one.toBuilder()
        .setPushedBytes(one.getPushedBytes() + more.getPushedBytes())
        .setReadBytes(one.getReadBytes() + more.getReadBytes())
        .setPushWaitMs(one.getPushWaitMs() + more.getPushWaitMs())
        .setReadWaitMs(one.getReadWaitMs() + more.getReadWaitMs())
        .setMemoryWaitMs(one.getMemoryWaitMs() + more.getMemoryWaitMs())
        .setDiskWaitMs(one.getDiskWaitMs() + more.getDiskWaitMs())
        .build();
  }

  private static ShuffleReads sum(ShuffleReads one, ShuffleReads more) {
    ShuffleReads longest = one.getLongestMs() >= more.getLongestMs() ? one : more;
    return ShuffleReads.newBuilder()
        .setShuffle(AssignmentVariable.SHUFFLE)
        .setReads(one.getReads() + more.getReads())
        .setBytes(one.getBytes() + more.getBytes())
        .setDurationMs(one.getDurationMs() + more.getDurationMs())
        .setLongestMs(longest.getLongestMs())
        .setLongestBytes(longest.getLongestBytes())
        .build();
  }

  /** For the renewal of the lease. */
  synchronized TaskReport all() {
    TaskReport.Builder report = sums.toBuilder().setConcurrentTasks(maxRunning);
    report.addAllServers(LongestWaits.of(servers.values().stream(), MAX_SERVERS));
    if (reads.getReads() > 0) {
      report.addShuffles(reads);
    }
    return report.build();
  }
}
