package io.sluice.server.log;

import io.netty.buffer.ByteBuf;
import io.sluice.common.run.RunOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Spills frames of a log from memory to runs. Thread-safe with the lock of its {@link LogState}.
 */
final class LogSpills {
  private final LogState logState;
  private final LogTotals totals;
  private final LogLosses losses;

  // Of frames that no spill has taken yet. Guarded by the lock of the log state.
  private long bufferedBytes;
  private int bufferedExtents;

  LogSpills(LogState logState, LogTotals totals, LogLosses losses) {
    this.logState = logState;
    this.totals = totals;
    this.losses = losses;
  }

  /** See {@link ShuffleLog#bufferedBytes}. */
  long bufferedBytes() {
    synchronized (logState.lock) {
      return bufferedBytes;
    }
  }

  /** See {@link ShuffleLog#bufferedExtents}. */
  int bufferedExtents() {
    synchronized (logState.lock) {
      return bufferedExtents;
    }
  }

  /** See {@link ShuffleLog#nextSpillBytes}. */
  int nextBytes() {
    synchronized (logState.lock) {
      LoggedFrame frame = logState.frames.oldestBuffered();
      return frame == null ? 0 : frame.body.capacity();
    }
  }

  /** Counts a frame that is ready to spill, with the lock held. */
  void addBuffered(LoggedFrame frame) {
    bufferedBytes += frame.reservedBytes;
    bufferedExtents += frame.extents.length;
    totals.addBuffered(frame.reservedBytes, frame.extents.length);
  }

  /**
   * Removes all frames, with the lock held.
   *
   * @return their bodies, owned by the caller
   */
  List<ByteBuf> clear() {
    totals.addBuffered(-bufferedBytes, -bufferedExtents);
    bufferedBytes = 0;
    bufferedExtents = 0;
    return logState.frames.clear();
  }

  /**
   * See {@link ShuffleLog#takeForSpill}.
   *
   * @param log log of the batch
   */
  SpillBatch take(ShuffleLog log, long maxBytes) {
    List<LoggedFrame> taken = new ArrayList<>();
    long reserved = 0;
    int extents = 0;
    synchronized (logState.lock) {
      LoggedFrame frame = logState.frames.oldestBuffered();
      long length = 0;
      while (frame != null
          && frame.state == LoggedFrame.State.BUFFERED
          && (taken.isEmpty()
              || (length + frame.body.capacity() <= maxBytes
                  && frame.arrival == taken.get(taken.size() - 1).arrival + 1))) {
        frame.state = LoggedFrame.State.SPILLING;
        frame.body.retain();
        taken.add(frame);
        reserved += frame.reservedBytes;
        length += frame.body.capacity();
        extents += frame.extents.length;
        frame = frame.next;
      }
      bufferedBytes -= reserved;
      bufferedExtents -= extents;
      totals.beginSpilling(reserved, extents);
    }
    return taken.isEmpty()
        ? null
        : new SpillBatch(log, taken.toArray(new LoggedFrame[0]), reserved);
  }

  /**
   * See {@link ShuffleLog#completeSpill}.
   *
   * @param run this method takes ownership
   */
  void complete(SpillBatch batch, StoredRun run, RunOrder order, long[] fileOffsets) {
    List<SpillBatch.Part> parts = batch.parts();
    boolean registered;
    synchronized (logState.lock) {
      registered = logState.state == LogState.State.LIVE;
      if (registered) {
        RunTable.Entry entry =
            new RunTable.Entry(run, order, batch.firstArrival(), batch.lastArrival());
        entry.bytes = batch.length();
        entry.extents = parts.size();
        logState.runs.add(entry);
      }
    }
    boolean live = registered;
    for (int from = 0; live && from < parts.size(); from += LogState.PARTITIONS_AT_ONCE) {
      int to = Math.min(parts.size(), from + LogState.PARTITIONS_AT_ONCE);
      synchronized (logState.lock) {
        live = logState.state == LogState.State.LIVE;
        for (int i = from; live && i < to; i++) {
          SpillBatch.Part part = parts.get(i);
          losses.moveTo(run, fileOffsets[i], part.partition(), part.start(), part.length());
        }
      }
    }
    List<ByteBuf> bodies = new ArrayList<>();
    synchronized (logState.lock) {
      for (LoggedFrame frame : batch.frames()) {
        if (frame.state == LoggedFrame.State.SPILLING) {
          logState.frames.unlink(frame);
          bodies.add(frame.body);
        }
      }
    }
    bodies.forEach(ByteBuf::release);
    batch.releaseBodies();
    totals.endSpilling(batch.reservedBytes());
    if (!registered) {
      run.discard();
    }
  }

  /** See {@link ShuffleLog#abortSpill}. */
  void abort(SpillBatch batch) {
    synchronized (logState.lock) {
      for (LoggedFrame frame : batch.frames()) {
        if (frame.state == LoggedFrame.State.SPILLING) {
          frame.state = LoggedFrame.State.BUFFERED;
          addBuffered(frame);
        }
      }
      totals.endSpilling(batch.reservedBytes());
    }
    batch.releaseBodies();
  }
}
