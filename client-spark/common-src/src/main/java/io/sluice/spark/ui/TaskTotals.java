package io.sluice.spark.ui;

import io.sluice.client.coordinator.LongestWaits;
import io.sluice.proto.ServerTime;
import io.sluice.proto.ShuffleReads;
import io.sluice.proto.TaskReport;
import io.sluice.spark.stats.ShuffleCounters;
import io.sluice.spark.stats.ShuffleCounters.AtServer;
import io.sluice.spark.stats.ShuffleCounters.Reads;
import io.sluice.spark.stats.ShuffleCounters.Writes;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Sums of the counters of all shuffles of an application, also of those that have ended, and the
 * number of its concurrent tasks. Bounded, except for one entry for each server ever used.
 * Thread-safe.
 */
final class TaskTotals {
  /** Maximum number of servers in a report. */
  static final int MAX_SERVERS = 64;

  /** Maximum number of shuffles in a report. */
  static final int MAX_SHUFFLES = 32;

  // All guarded by this.
  private ShuffleCounters ended = ShuffleCounters.ZERO;
  private Map<Integer, Reads> endedReads = new HashMap<>();
  private int running;
  private int maxRunning;

  synchronized void taskStarted() {
    running++;
    maxRunning = Math.max(maxRunning, running);
  }

  /** Spark may have dropped the event of the start. */
  synchronized void taskEnded() {
    running = Math.max(0, running - 1);
  }

  /** Adds the final counters of a shuffle. */
  synchronized void ended(int shuffle, ShuffleCounters counters) {
    ended = ended.plus(counters);
    endedReads.put(shuffle, counters.reads());
    endedReads = largest(endedReads);
  }

  /**
   * Returns the report of the application.
   *
   * @param counters counters of the shuffles that have not ended
   */
  synchronized TaskReport report(Map<Integer, ShuffleCounters> counters) {
    ShuffleCounters all = ended;
    Map<Integer, Reads> reads = new HashMap<>(endedReads);
    for (Map.Entry<Integer, ShuffleCounters> shuffle : counters.entrySet()) {
      all = all.plus(shuffle.getValue());
      reads.put(shuffle.getKey(), shuffle.getValue().reads());
    }
    Writes writes = all.writes();
    return TaskReport.newBuilder()
        .setPushedBytes(writes.pushedBytes())
        .setLocalWrittenBytes(writes.localBytes())
        .setReadBytes(all.reads().bytes())
        .setLocalReadBytes(all.reads().localBytes())
        .setPushRetries(writes.retries())
        .setReadRetries(all.reads().retries())
        .setReplacementServers(writes.replacementServers())
        .setConcurrentTasks(maxRunning)
        .addAllServers(servers(all.servers()))
        .addAllShuffles(shuffles(largest(reads)))
        .build();
  }

  private static List<ServerTime> servers(Map<String, AtServer> servers) {
    return LongestWaits.of(
        servers.entrySet().stream().map(server -> time(server.getKey(), server.getValue())),
        MAX_SERVERS);
  }

  private static ServerTime time(String server, AtServer counters) {
    return ServerTime.newBuilder()
        .setServer(server)
        .setPushedBytes(counters.pushedBytes())
        .setReadBytes(counters.readBytes())
        .setPushWaitMs(counters.pushWaitMs())
        .setReadWaitMs(counters.readWaitMs())
        .setMemoryWaitMs(counters.memoryWaitMs())
        .setDiskWaitMs(counters.diskWaitMs())
        .build();
  }

  /** The shuffles whose longest read exceeds their mean read most. */
  private static Map<Integer, Reads> largest(Map<Integer, Reads> reads) {
    return reads.entrySet().stream()
        .filter(shuffle -> shuffle.getValue().count() > 0)
        .sorted(
            Comparator.comparingLong(
                    (Map.Entry<Integer, Reads> shuffle) -> shuffle.getValue().excessMs())
                .reversed())
        .limit(MAX_SHUFFLES)
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private static List<ShuffleReads> shuffles(Map<Integer, Reads> reads) {
    return reads.entrySet().stream()
        .map(
            shuffle ->
                ShuffleReads.newBuilder()
                    .setShuffle(shuffle.getKey())
                    .setReads(shuffle.getValue().count())
                    .setBytes(shuffle.getValue().bytes() + shuffle.getValue().localBytes())
                    .setDurationMs(shuffle.getValue().durationMs())
                    .setLongestMs(shuffle.getValue().longestMs())
                    .setLongestBytes(shuffle.getValue().longestBytes())
                    .build())
        .collect(Collectors.toList());
  }
}
