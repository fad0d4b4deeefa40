package io.sluice.spark;

import io.sluice.client.CleanupConfig;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.StageInfo;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.collection.Iterator;

/**
 * Driver: has shuffles of finished queries deleted in long sessions.
 *
 * <p>Spark removes a shuffle when the driver has collected the last reference to it as garbage: no
 * data frame, cached table or RDD can read it then. A driver with a large heap collects seldom. So
 * this class collects garbage when shuffles that no running job uses, <em>idle</em> ones, have many
 * bytes. A shuffle that survives a collection is referred to, and counts again after twice its idle
 * time. Collections take at most 5 % of the time.
 *
 * <p>Optionally, a shuffle that is idle for long expires although it is referred to: its map output
 * is unregistered and deleted, and a later job runs its map tasks again.
 *
 * <p>Thread-safe: Spark's listener thread reports jobs, and a timer calls {@link #check}.
 */
public final class IdleShuffles extends SparkListener {
  private static final Logger LOG = LoggerFactory.getLogger(IdleShuffles.class);
  private static final String EXECUTION_ID = "spark.sql.execution.id";

  /** Minimum time between two collections, in durations of the last one. */
  private static final long PAUSE_PER_COLLECTION = 19;

  private final long idleNanos;
  private final long collectBytes;
  private final long expireNanos;
  private final LongSupplier nanoTime;
  private final Supplier<Collection<Integer>> shuffles;
  private final Runnable collectGarbage;
  private final IntConsumer expire;

  // Guarded by this.
  private final Map<Integer, UsingJob> runningJobs = new HashMap<>();
  private final Map<Integer, Integer> shuffleOfStage = new HashMap<>();
  private final Map<Integer, Use> uses = new HashMap<>();
  private long nextCollectionNanos;

  /**
   * A running job.
   *
   * @param query the SQL execution that it belongs to; null for none
   * @param shuffleOfStage shuffles that it can write or read, by the stage that writes them
   */
  private record UsingJob(String query, Map<Integer, Integer> shuffleOfStage) {
    boolean uses(int shuffle, Use use) {
      return shuffleOfStage.containsValue(shuffle) || (query != null && query.equals(use.query));
    }
  }

  /** How a shuffle was used. */
  private static final class Use {
    // With adaptive execution, the stages of a query are separate jobs with the driver's planning
    // between them.
    private final String query;
    private long bytes;
    private long lastNanos;
    private long idleAfterNanos;

    Use(String query, long idleAfterNanos) {
      this.query = query;
      this.idleAfterNanos = idleAfterNanos;
    }
  }

  /**
   * @param nanoTime clock
   * @param shuffles supplies the shuffles that use servers now
   * @param collectGarbage runs a full garbage collection; blocks
   * @param expire deletes a shuffle to which a data frame may refer
   */
  public IdleShuffles(
      CleanupConfig config,
      LongSupplier nanoTime,
      Supplier<Collection<Integer>> shuffles,
      Runnable collectGarbage,
      IntConsumer expire) {
    this.idleNanos = TimeUnit.MILLISECONDS.toNanos(config.idleMs());
    this.collectBytes = config.collectBytes();
    this.expireNanos = TimeUnit.MILLISECONDS.toNanos(config.expireMs());
    this.nanoTime = nanoTime;
    this.shuffles = shuffles;
    this.collectGarbage = collectGarbage;
    this.expire = expire;
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
        start.properties() == null ? null : start.properties().getProperty(EXECUTION_ID),
        written);
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

  synchronized void jobStarted(int job, String query, Map<Integer, Integer> written) {
    runningJobs.put(job, new UsingJob(query, Map.copyOf(written)));
    shuffleOfStage.putAll(written);
    for (int shuffle : written.values()) {
      uses.computeIfAbsent(shuffle, id -> new Use(query, idleNanos));
    }
  }

  synchronized void taskEnded(int stage, long bytesWritten) {
    Use use = uses.get(shuffleOfStage.getOrDefault(stage, -1));
    if (use != null) {
      use.bytes += bytesWritten;
    }
  }

  synchronized void jobEnded(int job) {
    UsingJob ended = runningJobs.remove(job);
    if (ended == null) {
      return;
    }
    shuffleOfStage.keySet().removeAll(ended.shuffleOfStage.keySet());
    long now = nanoTime.getAsLong();
    uses.forEach(
        (shuffle, use) -> {
          if (ended.uses(shuffle, use)) {
            use.lastNanos = now;
            use.idleAfterNanos = idleNanos;
          }
        });
  }

  /** Expires shuffles, and collects garbage if it is worth it. */
  public void check() {
    List<Integer> expired = new ArrayList<>();
    boolean collect;
    synchronized (this) {
      uses.keySet().retainAll(Set.copyOf(shuffles.get()));
      long now = nanoTime.getAsLong();
      if (expireNanos > 0) {
        uses.forEach(
            (shuffle, use) -> {
              if (!isUsed(shuffle, use) && now - use.lastNanos >= expireNanos) {
                expired.add(shuffle);
              }
            });
        uses.keySet().removeAll(expired);
      }
      collect = isCollectionDue(now);
    }
    for (int shuffle : expired) {
      LOG.info("idle shuffle expired shuffle={}", shuffle);
      expire.accept(shuffle);
    }
    if (collect) {
      collect();
    }
  }

  private boolean isUsed(int shuffle, Use use) {
    return runningJobs.values().stream().anyMatch(job -> job.uses(shuffle, use));
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
