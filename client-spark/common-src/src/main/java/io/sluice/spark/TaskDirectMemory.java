package io.sluice.spark;

import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * Counts direct memory of a push session or a read as memory of its task. Spark counts direct
 * memory only if it is configured to use it, so this counts as the kind of memory that the task
 * sorts in. Used by one thread at a time; a request to spill from another thread is declined.
 */
public final class TaskDirectMemory extends MemoryConsumer {
  /** Asked for at a time, so that Spark is rarely asked. */
  private static final long STEP_BYTES = 1 << 20;

  private volatile Thread user = Thread.currentThread();
  private long heldBytes;
  private long peakBytes;

  public TaskDirectMemory(TaskMemoryManager memory) {
    super(memory, memory.pageSizeBytes(), memory.getTungstenMemoryMode());
  }

  /**
   * Notes what is held.
   *
   * @return how much of it Spark grants; less than {@code bytes} if memory is short
   */
  public long account(long bytes) {
    user = Thread.currentThread();
    heldBytes = bytes;
    peakBytes = Math.max(peakBytes, bytes);
    long missing = bytes - getUsed();
    if (missing > 0) {
      acquireMemory(Math.max(missing, STEP_BYTES));
    }
    return getUsed();
  }

  /** Releases what was granted and is not held. */
  @Override
  public long spill(long size, MemoryConsumer trigger) {
    if (trigger == this || Thread.currentThread() != user) {
      return 0;
    }
    long spare = Math.max(0, getUsed() - heldBytes);
    freeMemory(spare);
    return spare;
  }

  /**
   * Nothing is held any more. Idempotent.
   *
   * @param metrics gets the peak, once
   */
  public void release(TaskMetrics metrics) {
    metrics.incPeakExecutionMemory(peakBytes);
    peakBytes = 0;
    heldBytes = 0;
    freeMemory(getUsed());
  }
}
