package io.sluice.server.background;

import io.sluice.server.disk.PendingWrite;
import io.sluice.server.log.SpillBatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A batch on its way to a disk. Exactly one side ends it: the thread that writes it, or the
 * planner, which gives it up when the disk does not answer. A thread that comes back too late then
 * finds that there is nothing left for it to do but to delete its file.
 *
 * <p>It has its own references to the batch's bodies, given back by the writing thread alone: a
 * system call that hangs may still read from them. Thread-safe.
 */
final class SpillTask {
  private final SpillBatch batch;
  private final PendingWrite write;
  private final AtomicBoolean settled = new AtomicBoolean();

  /**
   * @param batch takes
   */
  SpillTask(SpillBatch batch, PendingWrite write) {
    this.batch = batch;
    this.write = write;
    batch.retainBodies();
  }

  SpillBatch batch() {
    return batch;
  }

  PendingWrite write() {
    return write;
  }

  /** Whether the caller is the one to complete or abort the batch. */
  boolean settle() {
    return settled.compareAndSet(false, true);
  }

  boolean isSettled() {
    return settled.get();
  }

  /** Gives the batch back to its log, unless it has ended. */
  void abort() {
    if (settle()) {
      batch.log().abortSpill(batch);
    }
  }

  /** The writing thread does not touch the bytes any more. */
  void releaseBodies() {
    batch.releaseBodies();
  }
}
