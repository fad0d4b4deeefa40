package io.sluice.spark.write;

import org.apache.spark.memory.MemoryConsumer;
import org.apache.spark.memory.TaskMemoryManager;

/**
 * Has Spark count the frames of a push session as memory of its task. They lie off the heap, where
 * Spark counts nothing unless it is told to use it; so they are counted as the kind of memory that
 * the task sorts in, which errs on the safe side. Belongs to the task thread; another thread's
 * request to spill is declined.
 */
final class FrameMemory extends MemoryConsumer {
  /** Asked for at a time, so that Spark is rarely asked. */
  private static final long STEP_BYTES = 1 << 20;

  private final Thread owner = Thread.currentThread();
  private long heldBytes;

  FrameMemory(TaskMemoryManager memory) {
    super(memory, memory.pageSizeBytes(), memory.getTungstenMemoryMode());
  }

  /**
   * Notes what the session holds.
   *
   * @return how much of it Spark grants; less than {@code bytes} if memory is short
   */
  long account(long bytes) {
    heldBytes = bytes;
    long missing = bytes - getUsed();
    if (missing > 0) {
      acquireMemory(Math.max(missing, STEP_BYTES));
    }
    return getUsed();
  }

  /** Gives back what was granted and is not held. */
  @Override
  public long spill(long size, MemoryConsumer trigger) {
    if (trigger == this || Thread.currentThread() != owner) {
      return 0;
    }
    long spare = Math.max(0, getUsed() - heldBytes);
    freeMemory(spare);
    return spare;
  }

  /** The session is closed. Idempotent. */
  void release() {
    heldBytes = 0;
    freeMemory(getUsed());
  }
}
