package io.sluice.spark.ui;

import io.sluice.client.coordinator.ApplicationSession;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleReceipts;
import io.sluice.proto.TaskReport;
import io.sluice.spark.MissingMaps;
import io.sluice.spark.stats.ShuffleCounters;
import io.sluice.spark.stats.ShuffleStatistics;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.apache.spark.FetchFailed;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;

/**
 * Driver: posts the state of every changed shuffle when a stage or job ends, and at most every two
 * seconds while tasks end. Thread-safe: shuffles are registered on user threads.
 */
public final class ShuffleStates extends SparkListener {
  private static final long NANOS_BETWEEN = TimeUnit.SECONDS.toNanos(2);

  private final Newest newest;
  private final Consumer<SparkListenerEvent> bus;
  private final LongSupplier nanoTime;
  private final Map<Integer, Followed> shuffles = new ConcurrentHashMap<>();
  private final TaskTotals totals = new TaskTotals();
  // Owned by the listener thread.
  private long postedNanos;

  /** Source of the newest assignment of a shuffle. */
  @FunctionalInterface
  public interface Newest {
    /** Null if the shuffle is no longer registered. */
    ShuffleAssignment of(int shuffleId);
  }

  /** One shuffle and its last posted state. */
  private static final class Followed {
    private final ShuffleStatistics statistics;
    private volatile ShuffleAssignment assignment;
    private ShuffleCounters posted;
    private int postedGeneration;
    private int wrongReceipts;
    private int postedWrongReceipts;

    private Followed(ShuffleAssignment assignment, ShuffleStatistics statistics) {
      this.assignment = assignment;
      this.statistics = statistics;
    }

    /** The state to post; null if it has not changed. */
    private synchronized ShuffleState changed(int shuffleId) {
      ShuffleCounters now = statistics.value();
      ShuffleAssignment servers = assignment;
      if (now.equals(posted)
          && servers.generation() == postedGeneration
          && wrongReceipts == postedWrongReceipts) {
        return null;
      }
      posted = now;
      postedGeneration = servers.generation();
      postedWrongReceipts = wrongReceipts;
      return new ShuffleState(
          shuffleId,
          servers.partitionCount(),
          servers.servers().stream().map(ServerId::getName).toList(),
          servers.generation(),
          "",
          now,
          wrongReceipts);
    }

    private synchronized ShuffleReceipts receipts(int shuffleId) {
      ShuffleCounters now = statistics.value();
      return ShuffleReceipts.newBuilder()
          .setShuffle(shuffleId)
          .setRecords(now.writes().records())
          .setBytes(now.writes().recordBytes())
          .setMatched(now.reads().receipts())
          .setWrong(wrongReceipts)
          .build();
    }

    private synchronized void addWrongReceipts(int more) {
      wrongReceipts += more;
    }
  }

  /**
   * @param bus accepts events without blocking
   */
  public ShuffleStates(Newest newest, Consumer<SparkListenerEvent> bus, LongSupplier nanoTime) {
    this.newest = newest;
    this.bus = bus;
    this.nanoTime = nanoTime;
  }

  /** Adds a shuffle that uses Sluice. */
  public void assigned(ShuffleAssignment assignment, ShuffleStatistics statistics) {
    int shuffleId = assignment.shuffle().getShuffle();
    shuffles.put(shuffleId, new Followed(assignment, statistics));
    post(shuffleId);
  }

  /** Posts the state of a shuffle that uses Spark's built-in shuffle. */
  public void refused(int shuffleId, int partitions, String reason) {
    bus.accept(
        new ShuffleState(shuffleId, partitions, List.of(), 0, reason, ShuffleCounters.ZERO, 0));
  }

  /** Posts the last state of a shuffle and removes it. */
  public void ended(int shuffleId) {
    post(shuffleId);
    Followed shuffle = shuffles.remove(shuffleId);
    if (shuffle != null) {
      totals.ended(shuffleId, shuffle.statistics.value());
    }
  }

  /** What all tasks of the application transferred and waited for. */
  public TaskReport tasks() {
    Map<Integer, ShuffleCounters> counters = new HashMap<>();
    shuffles.forEach((id, shuffle) -> counters.put(id, shuffle.statistics.value()));
    return totals.report(counters);
  }

  /** Receipts of the latest shuffles, at most {@link ApplicationSession#MAX_RECEIPTS}. */
  public List<ShuffleReceipts> receipts() {
    return shuffles.entrySet().stream()
        .sorted(Map.Entry.<Integer, Followed>comparingByKey().reversed())
        .limit(ApplicationSession.MAX_RECEIPTS)
        .map(shuffle -> shuffle.getValue().receipts(shuffle.getKey()))
        .toList();
  }

  @Override
  public void onTaskStart(SparkListenerTaskStart start) {
    totals.taskStarted();
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    totals.taskEnded();
    if (end != null && end.reason() instanceof FetchFailed failure) {
      Followed shuffle = shuffles.get(failure.shuffleId());
      if (shuffle != null) {
        shuffle.addWrongReceipts(MissingMaps.wrongReceiptsIn(failure.message()));
      }
    }
    if (nanoTime.getAsLong() - postedNanos >= NANOS_BETWEEN) {
      postAll();
    }
  }

  @Override
  public void onStageCompleted(SparkListenerStageCompleted completed) {
    postAll();
  }

  @Override
  public void onJobEnd(SparkListenerJobEnd end) {
    postAll();
  }

  private void postAll() {
    postedNanos = nanoTime.getAsLong();
    shuffles.keySet().forEach(this::post);
  }

  private void post(int shuffleId) {
    Followed shuffle = shuffles.get(shuffleId);
    if (shuffle == null) {
      return;
    }
    ShuffleAssignment now = newest.of(shuffleId);
    if (now != null) {
      shuffle.assignment = now;
    }
    ShuffleState state = shuffle.changed(shuffleId);
    if (state != null) {
      bus.accept(state);
    }
  }
}
