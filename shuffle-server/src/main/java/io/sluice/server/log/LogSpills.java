package io.sluice.server.log;

import io.netty.buffer.ByteBuf;
import io.sluice.common.run.RunOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The frames of a log on their way from memory into runs. Thread-safe with the lock of its {@link
 * LogState}.
 */
final class LogSpills {
  private final LogState content;
  private final LogTotals totals;
  private final LogLosses losses;

  // Guarded by the content's lock: of frames that no spill has taken yet.
  private long bufferedBytes;
  private int bufferedExtents;

  LogSpills(LogState content, LogTotals totals, LogLosses losses) {
    this.content = content;
    this.totals = totals;
    this.losses = losses;
  }

  /** See {@link ShuffleLog#bufferedBytes}. */
  long bufferedBytes() {
    synchronized (content.lock) {
      return bufferedBytes;
    }
  }

  /** See {@link ShuffleLog#bufferedExtents}. */
  int bufferedExtents() {
    synchronized (content.lock) {
      return bufferedExtents;
    }
  }

  /** See {@link ShuffleLog#nextSpillBytes}. */
  int nextBytes() {
    synchronized (content.lock) {
      LoggedFrame frame = content.frames.oldestBuffered();
      return frame == null ? 0 : frame.body.capacity();
    }
  }

  /** Counts a frame that a spill can take, with the lock held. */
  void addBuffered(LoggedFrame frame) {
    bufferedBytes += frame.heldBytes;
    bufferedExtents += frame.extents.length;
    totals.addBuffered(frame.heldBytes, frame.extents.length);
  }

  /**
   * Forgets all frames, with the lock held.
   *
   * @return their bodies, owned by the caller
   */
  List<ByteBuf> clear() {
    totals.addBuffered(-bufferedBytes, -bufferedExtents);
    bufferedBytes = 0;
    bufferedExtents = 0;
    return content.frames.clear();
  }

  /**
   * See {@link ShuffleLog#takeForSpill}.
   *
   * @param log of the batch
   */
  SpillBatch take(ShuffleLog log, long maxBytes) {
    List<LoggedFrame> taken = new ArrayList<>();
    long held = 0;
    int extents = 0;
    synchronized (content.lock) {
      LoggedFrame frame = content.frames.oldestBuffered();
      long length = 0;
      while (frame != null
          && frame.state == LoggedFrame.State.BUFFERED
          && (taken.isEmpty()
              || (length + frame.body.capacity() <= maxBytes
                  && frame.arrival == taken.get(taken.size() - 1).arrival + 1))) {
        frame.state = LoggedFrame.State.SPILLING;
        frame.body.retain();
        taken.add(frame);
        held += frame.heldBytes;
        length += frame.body.capacity();
        extents += frame.extents.length;
        frame = frame.next;
      }
      bufferedBytes -= held;
      bufferedExtents -= extents;
      totals.beginSpilling(held, extents);
    }
    return taken.isEmpty() ? null : new SpillBatch(log, taken.toArray(new LoggedFrame[0]), held);
  }

  /**
   * See {@link ShuffleLog#completeSpill}.
   *
   * @param run takes
   */
  void complete(SpillBatch batch, StoredRun run, RunOrder order, long[] fileOffsets) {
    List<SpillBatch.Part> parts = batch.parts();
    boolean registered;
    synchronized (content.lock) {
      registered = content.state == LogState.State.LIVE;
      if (registered) {
        RunTable.Entry entry =
            new RunTable.Entry(run, order, batch.firstArrival(), batch.lastArrival());
        entry.bytes = batch.length();
        entry.extents = parts.size();
        content.runs.add(entry);
      }
    }
    boolean live = registered;
    for (int from = 0; live && from < parts.size(); from += LogState.PARTITIONS_AT_ONCE) {
      int to = Math.min(parts.size(), from + LogState.PARTITIONS_AT_ONCE);
      synchronized (content.lock) {
        live = content.state == LogState.State.LIVE;
        for (int i = from; live && i < to; i++) {
          SpillBatch.Part part = parts.get(i);
          losses.moveTo(run, fileOffsets[i], part.partition(), part.start(), part.length());
        }
      }
    }
    List<ByteBuf> gone = new ArrayList<>();
    synchronized (content.lock) {
      for (LoggedFrame frame : batch.frames()) {
        if (frame.state == LoggedFrame.State.SPILLING) {
          content.frames.unlink(frame);
          gone.add(frame.body);
        }
      }
    }
    gone.forEach(ByteBuf::release);
    batch.releaseBodies();
    totals.endSpilling(batch.heldBytes());
    if (!registered) {
      run.discard();
    }
  }

  /** See {@link ShuffleLog#abortSpill}. */
  void abort(SpillBatch batch) {
    synchronized (content.lock) {
      for (LoggedFrame frame : batch.frames()) {
        if (frame.state == LoggedFrame.State.SPILLING) {
          frame.state = LoggedFrame.State.BUFFERED;
          addBuffered(frame);
        }
      }
      totals.endSpilling(batch.heldBytes());
    }
    batch.releaseBodies();
  }
}
