package io.sluice.server.background;

import io.sluice.server.disk.PendingWrite;
import io.sluice.server.log.SpillBatch;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A batch that is being spilled to a disk. Either the writing thread or the planner ends it; the
 * planner cancels it when the disk exceeds its timeout. A writing thread that returns after a
 * cancellation deletes its file.
 *
 * <p>It has its own references to the batch's bodies, which only the writing thread releases: a
 * hung system call may still read from them. Thread-safe.
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

  /** Returns true to exactly one caller, which must complete or abort the batch. */
  boolean settle() {
    return settled.compareAndSet(false, true);
  }

  boolean isSettled() {
    return settled.get();
  }

  /** Returns the batch to its log, unless it has ended. */
  void abort() {
    if (settle()) {
      batch.log().abortSpill(batch);
    }
  }

  /** Releases the bodies; called by the writing thread after its last access. */
  void releaseBodies() {
    batch.releaseBodies();
  }
}
