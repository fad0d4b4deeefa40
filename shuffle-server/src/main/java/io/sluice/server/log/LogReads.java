package io.sluice.server.log;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.roaringbitmap.RoaringBitmap;

/** Finds what readers of a log ask for. Thread-safe with the lock of its {@link LogState}. */
final class LogReads {
  private final LogState content;

  LogReads(LogState content) {
    this.content = content;
  }

  /** See {@link ShuffleLog#snapshot}. */
  OpenSnapshot snapshot(int[] wanted, boolean withMarks) {
    synchronized (content.lock) {
      if (content.state != LogState.State.LIVE) {
        return null;
      }
      List<OpenSnapshot.Partition> found = new ArrayList<>(wanted.length);
      // Keyed by the live bitmaps, which do not change under the lock.
      Map<RoaringBitmap, Integer> sets = new HashMap<>();
      List<RoaringBitmap> distinct = new ArrayList<>();
      for (int index : wanted) {
        PartitionLog partition = content.find(index);
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
      return new OpenSnapshot(found, distinct, content.attempts.byOrdinal());
    }
  }

  /** See {@link ShuffleLog#read}. */
  List<LogPiece> read(List<LogRange> ranges) throws SluiceException {
    PieceList pieces = new PieceList();
    boolean whole = false;
    try {
      synchronized (content.lock) {
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
    if (content.state == LogState.State.EXPIRED) {
      throw content.expired();
    }
    if (content.state == LogState.State.UNWRITTEN || content.state == LogState.State.UNUSED) {
      throw new SluiceException(
          StatusCode.NEVER_WRITTEN, content.key + ": no block was ever written here");
    }
  }

  private void read(LogRange range, PieceList pieces) throws SluiceException {
    PartitionLog partition = content.find(range.partition());
    long length = partition == null ? 0 : partition.length();
    if (range.offset() < 0 || range.length() < 1 || range.length() > length - range.offset()) {
      throw new SluiceException(
          StatusCode.OUT_OF_RANGE,
          content.key
              + " partition="
              + range.partition()
              + ": asked for "
              + range.length()
              + " bytes from "
              + range.offset()
              + ", has "
              + length);
    }
    long offset = range.offset();
    long end = offset + range.length();
    for (int at = partition.extents().find(offset); offset < end; at++) {
      Extent extent = partition.extents().get(at);
      if (extent instanceof Extent.Lost) {
        throw new SluiceException(
            StatusCode.LOST,
            content.key
                + " partition="
                + range.partition()
                + ": the "
                + extent.length
                + " bytes from "
                + extent.start
                + " were on a disk that is gone");
      }
      long skip = offset - extent.start;
      int take = (int) Math.min(extent.length - skip, end - offset);
      pieces.add(extent, skip, take);
      offset += take;
    }
  }
}
