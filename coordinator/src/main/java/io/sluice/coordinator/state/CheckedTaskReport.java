package io.sluice.coordinator.state;

import io.sluice.coordinator.cluster.TaskReport;
import io.sluice.proto.ServerTime;
import io.sluice.proto.ShuffleReads;
import java.util.Comparator;

/**
 * Reads reports of drivers about their tasks. Invalid values do not fail a lease: numbers are
 * limited, and entries without a valid server name or beyond the maximum number are dropped.
 */
final class CheckedTaskReport {
  /** Maximum number of servers in a report that is stored. */
  static final int MAX_SERVERS = 64;

  /** Maximum number of shuffles in a report that is stored. */
  static final int MAX_SHUFFLES = 32;

  /** Largest number that all JSON parsers read exactly; sums of some thousand do not overflow. */
  private static final long MAX_NUMBER = 1L << 53;

  private CheckedTaskReport() {}

  static TaskReport of(io.sluice.proto.TaskReport report) {
    return new TaskReport(
        new TaskReport.Bytes(
            number(report.getPushedBytes()),
            number(report.getLocalWrittenBytes()),
            number(report.getReadBytes()),
            number(report.getLocalReadBytes())),
        new TaskReport.Retries(
            number(report.getPushRetries()),
            number(report.getReadRetries()),
            number(report.getReplacementServers())),
        Math.max(0, report.getConcurrentTasks()),
        report.getServersList().stream()
            .filter(server -> RequestChecks.isServerName(server.getServer()))
            .map(CheckedTaskReport::server)
            .sorted(Comparator.comparingLong(TaskReport.ServerTime::waitMs).reversed())
            .limit(MAX_SERVERS)
            .toList(),
        report.getShufflesList().stream()
            .filter(shuffle -> shuffle.getShuffle() >= 0 && shuffle.getReads() > 0)
            .limit(MAX_SHUFFLES)
            .map(CheckedTaskReport::shuffle)
            .toList());
  }

  private static TaskReport.ServerTime server(ServerTime server) {
    return new TaskReport.ServerTime(
        server.getServer(),
        number(server.getPushedBytes()),
        number(server.getReadBytes()),
        number(server.getPushWaitMs()),
        number(server.getReadWaitMs()),
        number(server.getMemoryWaitMs()),
        number(server.getDiskWaitMs()));
  }

  private static TaskReport.ShuffleReads shuffle(ShuffleReads shuffle) {
    return new TaskReport.ShuffleReads(
        shuffle.getShuffle(),
        number(shuffle.getReads()),
        number(shuffle.getBytes()),
        number(shuffle.getDurationMs()),
        number(shuffle.getLongestMs()),
        number(shuffle.getLongestBytes()));
  }

  private static long number(long value) {
    return Math.max(0, Math.min(MAX_NUMBER, value));
  }
}
