package io.sluice.spark;

import io.sluice.client.CleanupConfig;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkContext;
import org.apache.spark.rdd.DeterministicLevel;
import org.apache.spark.rdd.RDD;
import org.apache.spark.util.ThreadUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Driver: checks {@link IdleShuffles} regularly, in a thread of its own. */
public final class IdleShuffleTimer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IdleShuffleTimer.class);
  private static final long LONGEST_PERIOD_MS = 10_000;

  /** Checks within the shortest configured time, so that deletions are little later than it. */
  private static final long CHECKS = 4;

  private final IdleShuffles idle;
  private final ScheduledExecutorService timer;

  private IdleShuffleTimer(IdleShuffles idle, ScheduledExecutorService timer) {
    this.idle = idle;
    this.timer = timer;
  }

  /**
   * Starts to follow the jobs of an application.
   *
   * @param tracker the driver's; map output of a deleted shuffle is unregistered from it
   * @param shuffles the driver's; a deleted shuffle is unregistered from it
   * @param expired notified of each deleted shuffle
   */
  @SuppressWarnings("SystemGC") // Spark removes a shuffle when its references are collected.
  public static IdleShuffleTimer start(
      CleanupConfig config,
      SparkContext sparkContext,
      MapOutputTrackerMaster tracker,
      DriverShuffles shuffles,
      IntConsumer expired) {
    CleanupConfig useful =
        sparkContext.cleaner().isDefined() ? config : config.withoutCollections();
    IdleShuffles idle =
        new IdleShuffles(
            useful,
            System::nanoTime,
            shuffles::assigned,
            new AdaptivePlans(),
            System::gc,
            shuffle -> {
              if (tracker.containsShuffle(shuffle)) {
                // First, so that a job that begins now runs the map tasks again.
                tracker.unregisterAllMapAndMergeOutput(shuffle);
              }
              shuffles.unregister(shuffle);
              expired.accept(shuffle);
            });
    sparkContext.addSparkListener(idle);
    IdleShuffleTimer timer =
        new IdleShuffleTimer(
            idle, ThreadUtils.newDaemonSingleThreadScheduledExecutor("sluice-idle-shuffles"));
    timer.schedule(useful);
    return timer;
  }

  /**
   * Follows a shuffle that has an assignment.
   *
   * @param maps RDD whose partitions are the map tasks
   */
  public void track(int shuffle, RDD<?> maps) {
    if (maps.outputDeterministicLevel().equals(DeterministicLevel.INDETERMINATE())) {
      idle.keep(shuffle);
    }
  }

  private void schedule(CleanupConfig config) {
    long shortest = config.shortestMs();
    if (shortest > 0) {
      long period = Math.max(1, Math.min(shortest / CHECKS, LONGEST_PERIOD_MS));
      // Cancelled when the timer is closed.
      ScheduledFuture<?> unused =
          timer.scheduleWithFixedDelay(this::check, period, period, TimeUnit.MILLISECONDS);
    }
  }

  private void check() {
    try {
      idle.check();
    } catch (Exception e) {
      // Scala code throws undeclared checked exceptions.
      LOG.warn("check of idle shuffles failed, trying again later", e);
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
