package io.sluice.spark;

import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * Charges the direct memory of a push session or a read to its task. Spark accounts off-heap memory
 * only if it is enabled, so the memory is charged to the mode in which the task sorts. Used by one
 * thread at a time; declines spill requests from other threads.
 */
public final class TaskDirectMemory extends MemoryConsumer {
  /** Minimum size of one request to Spark, so that requests are rare. */
  private static final long STEP_BYTES = 1 << 20;

  private volatile Thread user = Thread.currentThread();
  private long usedBytes;
  private long peakBytes;

  public TaskDirectMemory(TaskMemoryManager memory) {
    super(memory, memory.pageSizeBytes(), memory.getTungstenMemoryMode());
  }

  /**
   * Updates the accounted memory.
   *
   * @param bytes direct memory in use now
   * @return bytes that Spark grants; less than {@code bytes} if memory is short
   */
  public long account(long bytes) {
    user = Thread.currentThread();
    usedBytes = bytes;
    peakBytes = Math.max(peakBytes, bytes);
    long missing = bytes - getUsed();
    if (missing > 0) {
      acquireMemory(Math.max(missing, STEP_BYTES));
    }
    return getUsed();
  }

  /** Releases granted memory that is not in use. */
  @Override
  public long spill(long size, MemoryConsumer trigger) {
    if (trigger == this || Thread.currentThread() != user) {
      return 0;
    }
    long spare = Math.max(0, getUsed() - usedBytes);
    freeMemory(spare);
    return spare;
  }

  /**
   * Releases all memory. Idempotent.
   *
   * @param metrics receives the peak, once
   */
  public void release(TaskMetrics metrics) {
    metrics.incPeakExecutionMemory(peakBytes);
    peakBytes = 0;
    usedBytes = 0;
    freeMemory(getUsed());
  }
}
