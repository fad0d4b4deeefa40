package io.sluice.spark;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import org.apache.spark.FetchFailed;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.scheduler.StageInfo;
import org.apache.spark.storage.RDDInfo;
import scala.collection.Iterator;

/**
 * Driver: kills the running tasks of a barrier stage when one of its tasks finds map output
 * missing.
 *
 * <p>Spark repeats a barrier stage as a whole, but does not kill its other tasks. A task that
 * succeeds after the fetch failure also counts in the next attempt. That attempt then never has
 * enough tasks to start all of them at once, and the job hangs. With shuffle servers the other
 * tasks often succeed, because they read other partitions from live servers. Runs on Spark's
 * listener thread.
 */
public final class BarrierStages extends SparkListener {
  private final LongConsumer kill;
  private final Map<StageAttempt, Set<Long>> running = new HashMap<>();

  private record StageAttempt(int stage, int attempt) {}

  /**
   * @param kill kills the task attempt with this id; does nothing if the attempt has ended
   */
  public BarrierStages(LongConsumer kill) {
    this.kill = kill;
  }

  @Override
  public void onStageSubmitted(SparkListenerStageSubmitted submitted) {
    StageInfo info = submitted.stageInfo();
    Iterator<RDDInfo> rdds = info.rddInfos().iterator();
    while (rdds.hasNext()) {
      if (rdds.next().isBarrier()) {
        submitted(info.stageId(), info.attemptNumber());
        return;
      }
    }
  }

  @Override
  public void onTaskStart(SparkListenerTaskStart start) {
    started(start.stageId(), start.stageAttemptId(), start.taskInfo().taskId());
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    // Null if the task was never launched.
    if (end.taskInfo() != null) {
      ended(
          end.stageId(),
          end.stageAttemptId(),
          end.taskInfo().taskId(),
          end.reason() instanceof FetchFailed);
    }
  }

  @Override
  public void onStageCompleted(SparkListenerStageCompleted completed) {
    completed(completed.stageInfo().stageId(), completed.stageInfo().attemptNumber());
  }

  /** Starts to track an attempt of a barrier stage. */
  void submitted(int stage, int attempt) {
    running.put(new StageAttempt(stage, attempt), new TreeSet<>());
  }

  void started(int stage, int attempt, long task) {
    Set<Long> tasks = running.get(new StageAttempt(stage, attempt));
    if (tasks != null) {
      tasks.add(task);
    }
  }

  void ended(int stage, int attempt, long task, boolean missedOutput) {
    Set<Long> tasks = running.get(new StageAttempt(stage, attempt));
    if (tasks == null) {
      return;
    }
    tasks.remove(task);
    if (missedOutput) {
      tasks.forEach(kill::accept);
      tasks.clear();
    }
  }

  /** Stops tracking a stage attempt, whether it succeeded or failed. */
  void completed(int stage, int attempt) {
    running.remove(new StageAttempt(stage, attempt));
  }
}
