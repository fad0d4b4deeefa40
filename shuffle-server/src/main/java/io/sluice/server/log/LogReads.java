package io.sluice.server.log;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.roaringbitmap.RoaringBitmap;

/** Answers the requests of readers of a log. Thread-safe with the lock of its {@link LogState}. */
final class LogReads {
  private final LogState logState;

  LogReads(LogState logState) {
    this.logState = logState;
  }

  /** See {@link ShuffleLog#snapshot}. */
  OpenSnapshot snapshot(int[] wanted, boolean withMarks) {
    synchronized (logState.lock) {
      if (logState.state != LogState.State.LIVE) {
        return null;
      }
      List<OpenSnapshot.Partition> found = new ArrayList<>(wanted.length);
      // The keys are the log's own bitmaps, which do not change under the lock.
      Map<RoaringBitmap, Integer> sets = new HashMap<>();
      List<RoaringBitmap> distinct = new ArrayList<>();
      for (int index : wanted) {
        PartitionLog partition = logState.find(index);
        if (partition == null) {
          found.add(null);
          continue;
        }
        RoaringBitmap complete = partition.attempts().complete();
        Integer set = sets.get(complete);
        if (set == null) {
          set = distinct.size();
          sets.put(complete, set);
          distinct.add(complete.clone());
        }
        found.add(
            new OpenSnapshot.Partition(
                partition.length(),
                partition.lost(),
                set,
                withMarks ? partition.marks.snapshot() : SliceMarkSnapshot.EMPTY));
      }
      return new OpenSnapshot(found, distinct, logState.attempts.byOrdinal());
    }
  }

  /** See {@link ShuffleLog#read}. */
  List<LogPiece> read(List<LogRange> ranges) throws SluiceException {
    PieceList pieces = new PieceList();
    boolean whole = false;
    try {
      synchronized (logState.lock) {
        checkCanRead();
        for (LogRange range : ranges) {
          read(range, pieces);
        }
        pieces.retainAll();
        whole = true;
      }
    } finally {
      if (!whole) {
        pieces.clear();
      }
    }
    return pieces.list();
  }

  private void checkCanRead() throws SluiceException {
    if (logState.state == LogState.State.EXPIRED) {
      throw logState.expired();
    }
    if (logState.state == LogState.State.UNWRITTEN || logState.state == LogState.State.UNUSED) {
      throw new SluiceException(
          StatusCode.NEVER_WRITTEN, logState.key + ": no block was ever written to this server");
    }
  }

  private void read(LogRange range, PieceList pieces) throws SluiceException {
    PartitionLog partition = logState.find(range.partition());
    long length = partition == null ? 0 : partition.length();
    if (range.offset() < 0 || range.length() < 1 || range.length() > length - range.offset()) {
      throw new SluiceException(
          StatusCode.OUT_OF_RANGE,
          logState.key
              + " partition="
              + range.partition()
              + ": range of "
              + range.length()
              + " bytes from offset "
              + range.offset()
              + " is outside the partition of "
              + length
              + " bytes");
    }
    long offset = range.offset();
    long end = offset + range.length();
    for (int at = partition.extents().find(offset); offset < end; at++) {
      Extent extent = partition.extents().get(at);
      if (extent instanceof Extent.Lost) {
        throw new SluiceException(
            StatusCode.LOST,
            logState.key
                + " partition="
                + range.partition()
                + ": "
                + extent.length
                + " bytes from offset "
                + extent.start
                + " are lost with a disk or a damaged run");
      }
      long skip = offset - extent.start;
      int take = (int) Math.min(extent.length - skip, end - offset);
      pieces.add(extent, skip, take, extent.length - skip - take);
      offset += take;
    }
  }
}
