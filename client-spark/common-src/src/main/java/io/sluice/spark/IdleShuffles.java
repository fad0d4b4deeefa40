package io.sluice.spark;

import io.sluice.client.CleanupConfig;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.StageInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.collection.Iterator;

/**
 * Driver: has shuffles deleted in long sessions and queries.
 *
 * <p>Spark removes a shuffle when the driver has collected the last reference to it as garbage: no
 * data frame, cached table or RDD can read it then. A driver with a large heap collects seldom. So
 * this class collects garbage when shuffles that no running job or query uses, <em>idle</em> ones,
 * have many bytes. A shuffle that survives a collection is referred to, and counts again after
 * twice its idle time. Collections take at most 5 % of the time.
 *
 * <p>Optionally, a shuffle that is idle for long expires although it is referred to: its map output
 * is unregistered and deleted, and a later job runs its map tasks again.
 *
 * <p>A shuffle is <em>consumed</em> once its query does not read it again ({@link QueryPlans}). It
 * is deleted in the same way some time later, also during its query.
 *
 * <p>Thread-safe: Spark's listener thread reports jobs, and a timer calls {@link #check}.
 */
public final class IdleShuffles extends SparkListener {
  private static final Logger LOG = LoggerFactory.getLogger(IdleShuffles.class);
  private static final String QUERY_ID = "spark.sql.execution.id";
  private static final String QUERY_END =
      "org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd";

  /** Minimum time between two collections, in durations of the last one. */
  private static final long PAUSE_PER_COLLECTION = 19;

  private final long idleNanos;
  private final long collectBytes;
  private final long expireNanos;
  private final long consumedNanos;
  private final LongSupplier nanoTime;
  private final Supplier<Collection<Integer>> shuffles;
  private final QueryPlans plans;
  private final Runnable collectGarbage;
  private final IntConsumer delete;

  // Guarded by this.
  private final Map<Integer, Map<Integer, Integer>> shuffleOfStageByJob = new HashMap<>();
  private final Map<Integer, Set<Integer>> readByStage = new HashMap<>();
  private final Map<String, Supplier<Set<Integer>>> runningQueries = new HashMap<>();
  private final Map<Integer, Use> uses = new HashMap<>();
  private final Set<Integer> kept = new HashSet<>();
  private long nextCollectionNanos;

  /** How a shuffle was used. */
  private static final class Use {
    // Null if no query of SQL wrote it. With adaptive execution, the stages of a query are separate
    // jobs with the driver's planning between them.
    private final String query;
    private long bytes;
    private long lastNanos;
    private long idleAfterNanos;
    private boolean consumed;
    private long consumedSinceNanos;

    Use(String query, long idleAfterNanos) {
      this.query = query;
      this.idleAfterNanos = idleAfterNanos;
    }

    private void consumed(boolean now, long nanos) {
      if (now && !consumed) {
        consumedSinceNanos = nanos;
      }
      consumed = now;
    }
  }

  /**
   * @param nanoTime clock
   * @param shuffles supplies the shuffles that use servers now
   * @param plans plans of running queries
   * @param collectGarbage runs a full garbage collection; blocks
   * @param delete deletes a shuffle to which a data frame may refer
   */
  public IdleShuffles(
      CleanupConfig config,
      LongSupplier nanoTime,
      Supplier<Collection<Integer>> shuffles,
      QueryPlans plans,
      Runnable collectGarbage,
      IntConsumer delete) {
    this.idleNanos = TimeUnit.MILLISECONDS.toNanos(config.idleMs());
    this.collectBytes = config.collectBytes();
    this.expireNanos = TimeUnit.MILLISECONDS.toNanos(config.expireMs());
    this.consumedNanos = TimeUnit.MILLISECONDS.toNanos(config.consumedMs());
    this.nanoTime = nanoTime;
    this.shuffles = shuffles;
    this.plans = consumedNanos > 0 ? plans : query -> Collections::emptySet;
    this.collectGarbage = collectGarbage;
    this.delete = delete;
    this.nextCollectionNanos = nanoTime.getAsLong();
  }

  @Override
  public void onJobStart(SparkListenerJobStart start) {
    Map<Integer, Integer> written = new HashMap<>();
    Iterator<StageInfo> stages = start.stageInfos().iterator();
    while (stages.hasNext()) {
      StageInfo stage = stages.next();
      if (stage.shuffleDepId().isDefined()) {
        written.put(stage.stageId(), (Integer) stage.shuffleDepId().get());
      }
    }
    jobStarted(
        start.jobId(),
        start.properties() == null ? null : start.properties().getProperty(QUERY_ID),
        written);
  }

  @Override
  public void onStageSubmitted(SparkListenerStageSubmitted submitted) {
    StageInfo stage = submitted.stageInfo();
    Set<Integer> parents = new HashSet<>();
    Iterator<?> ids = stage.parentIds().iterator();
    while (ids.hasNext()) {
      parents.add((Integer) ids.next());
    }
    stageStarted(stage.stageId(), parents);
  }

  @Override
  public void onStageCompleted(SparkListenerStageCompleted completed) {
    stageEnded(completed.stageInfo().stageId());
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    // Null if the task has failed.
    if (end.taskMetrics() != null) {
      taskEnded(end.stageId(), end.taskMetrics().shuffleWriteMetrics().bytesWritten());
    }
  }

  @Override
  public void onJobEnd(SparkListenerJobEnd end) {
    jobEnded(end.jobId());
  }

  /** Ends the use by a query; Spark's core has no class for the event. */
  @Override
  public void onOtherEvent(SparkListenerEvent event) {
    if (event.getClass().getName().equals(QUERY_END)) {
      try {
        queryEnded(String.valueOf(event.getClass().getMethod("executionId").invoke(event)));
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException("cannot read the id of a query that ended", e);
      }
    }
  }

  /**
   * @param query the query of SQL that the job belongs to; null for none
   * @param written shuffles that the job can write or read, by the stage that writes them
   */
  synchronized void jobStarted(int job, String query, Map<Integer, Integer> written) {
    shuffleOfStageByJob.put(job, Map.copyOf(written));
    if (query != null) {
      runningQueries.computeIfAbsent(query, plans::of);
    }
    for (int shuffle : written.values()) {
      uses.computeIfAbsent(shuffle, id -> new Use(query, idleNanos));
    }
  }

  /**
   * @param parents stages that write what the stage reads
   */
  synchronized void stageStarted(int stage, Set<Integer> parents) {
    Set<Integer> read = new HashSet<>();
    for (Map<Integer, Integer> shuffleOfStage : shuffleOfStageByJob.values()) {
      shuffleOfStage.forEach(
          (writer, shuffle) -> {
            if (parents.contains(writer)) {
              read.add(shuffle);
            }
          });
    }
    readByStage.put(stage, read);
  }

  synchronized void stageEnded(int stage) {
    readByStage.remove(stage);
  }

  synchronized void taskEnded(int stage, long bytesWritten) {
    for (Map<Integer, Integer> shuffleOfStage : shuffleOfStageByJob.values()) {
      Use use = uses.get(shuffleOfStage.getOrDefault(stage, -1));
      if (use != null) {
        use.bytes += bytesWritten;
        return;
      }
    }
  }

  synchronized void jobEnded(int job) {
    Map<Integer, Integer> ended = shuffleOfStageByJob.remove(job);
    if (ended != null) {
      used((shuffle, use) -> ended.containsValue(shuffle));
    }
  }

  void queryEnded(String query) {
    Supplier<Set<Integer>> plan;
    synchronized (this) {
      plan = runningQueries.remove(query);
    }
    if (plan != null) {
      findConsumed(Collections.singletonMap(query, plan));
    }
    synchronized (this) {
      used((shuffle, use) -> query.equals(use.query));
    }
  }

  /** Finds the shuffles that queries do not read again. */
  private void findConsumed(Map<String, Supplier<Set<Integer>>> queries) {
    Map<String, Set<Integer>> consumed = new HashMap<>();
    // Without the lock: Spark may have locked a plan while it waits for a subquery.
    queries.forEach((query, plan) -> consumed.put(query, plan.get()));
    synchronized (this) {
      long now = nanoTime.getAsLong();
      uses.forEach(
          (shuffle, use) -> {
            Set<Integer> ofQuery = consumed.get(use.query);
            if (isRead(shuffle)) {
              use.consumed(false, now);
            } else if (ofQuery != null) {
              use.consumed(ofQuery.contains(shuffle), now);
            }
          });
    }
  }

  /** Whether a running stage reads a shuffle, such as one that is tried again. */
  private boolean isRead(int shuffle) {
    return readByStage.values().stream().anyMatch(read -> read.contains(shuffle));
  }

  private void used(BiPredicate<Integer, Use> condition) {
    long now = nanoTime.getAsLong();
    uses.forEach(
        (shuffle, use) -> {
          if (condition.test(shuffle, use)) {
            use.lastNanos = now;
            use.idleAfterNanos = idleNanos;
          }
        });
  }

  /**
   * Leaves the deletion of an assigned shuffle to Spark, because its map tasks write other records
   * when they run again. A reader of which only a part runs again would mix both.
   */
  synchronized void keep(int shuffle) {
    kept.add(shuffle);
  }

  /** Deletes consumed and expired shuffles, and collects garbage if it is worth it. */
  public void check() {
    Map<String, Supplier<Set<Integer>>> running;
    synchronized (this) {
      running = new HashMap<>(runningQueries);
    }
    findConsumed(running);
    Map<Integer, String> deleted = new HashMap<>();
    boolean collect;
    synchronized (this) {
      Set<Integer> assigned = Set.copyOf(shuffles.get());
      uses.keySet().retainAll(assigned);
      kept.retainAll(assigned);
      long now = nanoTime.getAsLong();
      uses.forEach(
          (shuffle, use) -> {
            if (kept.contains(shuffle)) {
              return;
            }
            if (use.consumed && now - use.consumedSinceNanos >= consumedNanos) {
              deleted.put(shuffle, "consumed shuffle deleted");
            } else if (expireNanos > 0
                && !isUsed(shuffle, use)
                && now - use.lastNanos >= expireNanos) {
              deleted.put(shuffle, "idle shuffle expired");
            }
          });
      uses.keySet().removeAll(deleted.keySet());
      collect = isCollectionDue(now);
    }
    deleted.forEach(
        (shuffle, why) -> {
          LOG.info("{} shuffle={}", why, shuffle);
          delete.accept(shuffle);
        });
    if (collect) {
      collect();
    }
  }

  private boolean isUsed(int shuffle, Use use) {
    return (use.query != null && runningQueries.containsKey(use.query))
        || shuffleOfStageByJob.values().stream().anyMatch(job -> job.containsValue(shuffle));
  }

  private boolean isCollectionDue(long now) {
    if (idleNanos == 0 || now - nextCollectionNanos < 0) {
      return false;
    }
    long idleBytes = 0;
    List<Use> idle = new ArrayList<>();
    for (Map.Entry<Integer, Use> entry : uses.entrySet()) {
      Use use = entry.getValue();
      if (now - use.lastNanos >= use.idleAfterNanos && !isUsed(entry.getKey(), use)) {
        idle.add(use);
        idleBytes += use.bytes;
      }
    }
    if (idle.isEmpty() || idleBytes < collectBytes) {
      return false;
    }
    LOG.info(
        "collecting garbage to find out which idle shuffles can be removed shuffles={} bytes={}",
        idle.size(),
        idleBytes);
    idle.forEach(use -> use.idleAfterNanos = 2 * (now - use.lastNanos));
    return true;
  }

  private void collect() {
    long start = nanoTime.getAsLong();
    collectGarbage.run();
    long end = nanoTime.getAsLong();
    synchronized (this) {
      nextCollectionNanos = end + Math.max(idleNanos, PAUSE_PER_COLLECTION * (end - start));
    }
  }
}
