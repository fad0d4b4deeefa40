package org.apache.spark.shuffle;

import io.sluice.client.LocalOutputMode;
import io.sluice.client.coordinator.ApplicationSession;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.ApplicationAssignments;
import io.sluice.spark.BarrierStages;
import io.sluice.spark.DriverShuffles;
import io.sluice.spark.IdleShuffleTimer;
import io.sluice.spark.LostOutputs;
import io.sluice.spark.PluginConfig;
import io.sluice.spark.TrackedShuffle;
import io.sluice.spark.UntrackedShuffles;
import io.sluice.spark.assignment.AssignmentEndpoint;
import io.sluice.spark.local.ReadingStages;
import io.sluice.spark.local.ReadingStagesEndpoint;
import io.sluice.spark.stats.ShuffleStatistics;
import io.sluice.spark.ui.ShuffleStates;
import io.sluice.spark.ui.SparkPages;
import org.apache.spark.ExecutorAllocationManager;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.SparkContext;
import org.apache.spark.SparkEnv;
import org.apache.spark.rdd.RDD;
import scala.Option;

/**
 * What the driver runs for the shuffles of its application: endpoints for executors, listeners of
 * Spark's events, and the tab in Spark's UI. Thread-safe.
 */
final class DriverSide implements AutoCloseable {
  private final DriverShuffles shuffles;
  private final ApplicationAssignments assignments;
  private final ShuffleStates states;
  private final AssignmentEndpoint endpoint;
  private final IdleShuffleTimer idleShuffles;

  /** Null unless map tasks keep all blocks in local output. */
  private final ReadingStagesEndpoint readingStages;

  /**
   * Starts everything, which {@link #close} stops. Listeners stop with the Spark context.
   *
   * @param session borrows
   */
  DriverSide(ApplicationSession session, PluginConfig config, SparkContext sparkContext) {
    SparkEnv env = SparkEnv.get();
    assignments =
        new ApplicationAssignments(
            session::replacementServer, config.maxReplacementServers(), System::nanoTime);
    session.onMoved(assignments::moved);
    endpoint = new AssignmentEndpoint(env.rpcEnv(), assignments);
    endpoint.start();
    readingStages =
        config.localOutput() == LocalOutputMode.ALWAYS ? startReadingStages(sparkContext) : null;
    states = SparkPages.follow(sparkContext, assignments::newest);
    session.receiptsFrom(states::receipts);
    session.tasksFrom(states::tasks);
    shuffles = new DriverShuffles(session, assignments, states::refused);
    sparkContext.addSparkListener(
        new LostOutputs(
            tracker(),
            env.blockManager().externalShuffleServiceEnabled(),
            shuffles::assigned,
            assignments,
            endpoint.threads(),
            session::reportWrongReceipts));
    idleShuffles =
        IdleShuffleTimer.start(config.cleanup(), sparkContext, tracker(), shuffles, states::ended);
    sparkContext.addSparkListener(
        new BarrierStages(
            task ->
                // Without interrupting the thread, as Spark kills tasks of barrier stages.
                sparkContext.killTaskAttempt(
                    task, false, "another task of its barrier stage found map output missing")));
    Option<ExecutorAllocationManager> allocation = sparkContext.executorAllocationManager();
    if (allocation.isDefined()) {
      sparkContext
          .listenerBus()
          .addToManagementQueue(
              new UntrackedShuffles(
                  shuffles::assigned, allocation.get().executorMonitor()::shuffleCleaned));
    }
  }

  private static ReadingStagesEndpoint startReadingStages(SparkContext sparkContext) {
    ReadingStages stages = new ReadingStages();
    sparkContext.addSparkListener(stages);
    ReadingStagesEndpoint started = new ReadingStagesEndpoint(SparkEnv.get().rpcEnv(), stages);
    started.start();
    return started;
  }

  static MapOutputTrackerMaster tracker() {
    return (MapOutputTrackerMaster) SparkEnv.get().mapOutputTracker();
  }

  DriverShuffles shuffles() {
    return shuffles;
  }

  /**
   * Begins to follow a shuffle that has an assignment.
   *
   * @param maps RDD whose partitions are the map tasks
   */
  TrackedShuffle track(
      ShuffleAssignment assignment, int shuffle, RDD<?> maps, ShuffleStatistics statistics) {
    TrackedShuffle tracked =
        new TrackedShuffle(
            shuffle, maps.getNumPartitions(), assignment.partitionCount(), assignments, tracker());
    tracked.begin();
    idleShuffles.track(shuffle, maps);
    maps.sparkContext().register(statistics);
    states.assigned(assignment, statistics);
    return tracked;
  }

  void unregister(int shuffle) {
    if (readingStages != null) {
      readingStages.forget(shuffle);
    }
    states.ended(shuffle);
    shuffles.unregister(shuffle);
  }

  @Override
  public void close() {
    idleShuffles.close();
    if (readingStages != null) {
      readingStages.close();
    }
    endpoint.close();
  }
}
