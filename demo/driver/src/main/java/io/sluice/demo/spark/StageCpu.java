package io.sluice.demo.spark;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageCompleted;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;

/**
 * Adds up the CPU time of executors during map stages, which read no shuffle, and during reduce
 * stages, which read one and may write another. Spark submits a reduce stage after the end of the
 * stages that it reads, so only independent jobs could mix them; such time counts as that of reduce
 * stages. Thread-safe: Spark's listener bus adds, the driver reads.
 */
final class StageCpu extends SparkListener {
  private final LongSupplier executorsCpuMs;

  /** Whether a stage reads a shuffle, by the number of each stage that runs. */
  private final Map<Integer, Boolean> running = new HashMap<>();

  private long lastMs;
  private Sums sums = new Sums(0, 0);

  /** CPU time since the start, in milliseconds. */
  record Sums(long mapMs, long reduceMs) {}

  /**
   * @param executorsCpuMs returns the CPU time that all executors have used, in milliseconds
   */
  StageCpu(LongSupplier executorsCpuMs) {
    this.executorsCpuMs = executorsCpuMs;
  }

  @Override
  public synchronized void onStageSubmitted(SparkListenerStageSubmitted submitted) {
    count();
    running.put(submitted.stageInfo().stageId(), submitted.stageInfo().parentIds().nonEmpty());
  }

  @Override
  public synchronized void onStageCompleted(SparkListenerStageCompleted completed) {
    count();
    running.remove(completed.stageInfo().stageId());
  }

  /** Counts the time since the last event for the stages that ran in it. */
  private void count() {
    long nowMs = executorsCpuMs.getAsLong();
    if (running.containsValue(true)) {
      sums = new Sums(sums.mapMs, sums.reduceMs + nowMs - lastMs);
    } else if (!running.isEmpty()) {
      sums = new Sums(sums.mapMs + nowMs - lastMs, sums.reduceMs);
    }
    lastMs = nowMs;
  }

  /** The sums of all stages that have ended. */
  synchronized Sums sums() {
    return sums;
  }
}
