package io.sluice.server.log;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Pieces of a read; adjacent pieces are joined. Used under the log's lock until {@link #retainAll}
 * returns.
 */
final class PieceList {
  private final List<Extent> extents = new ArrayList<>();
  private long[] starts = new long[8];
  private int[] lengths = new int[8];
  private long[] following = new long[8];
  private final List<LogPiece> pieces = new ArrayList<>();

  /**
   * @param after number of bytes of the extent behind the piece
   */
  void add(Extent extent, long skip, int length, long after) {
    long start =
        extent instanceof Extent.InFile file
            ? file.fileOffset + skip
            : ((Extent.InMemory) extent).bodyOffset + skip;
    int last = extents.size() - 1;
    if (last >= 0
        && haveSameSource(extents.get(last), extent)
        && starts[last] + lengths[last] == start) {
      lengths[last] += length;
      following[last] = after;
      return;
    }
    extents.add(extent);
    if (extents.size() > starts.length) {
      starts = Arrays.copyOf(starts, starts.length * 2);
      lengths = Arrays.copyOf(lengths, lengths.length * 2);
      following = Arrays.copyOf(following, following.length * 2);
    }
    starts[last + 1] = start;
    lengths[last + 1] = length;
    following[last + 1] = after;
  }

  void retainAll() {
    for (int i = 0; i < extents.size(); i++) {
      if (extents.get(i) instanceof Extent.InFile file) {
        file.run.retain();
        pieces.add(new LogPiece.InFile(file.run, starts[i], lengths[i], following[i]));
      } else {
        LoggedFrame frame = ((Extent.InMemory) extents.get(i)).frame;
        pieces.add(new LogPiece.InMemory(frame.body.retainedSlice((int) starts[i], lengths[i])));
      }
    }
  }

  void clear() {
    pieces.forEach(LogPiece::release);
  }

  List<LogPiece> list() {
    return pieces;
  }

  private static boolean haveSameSource(Extent a, Extent b) {
    if (a instanceof Extent.InFile x && b instanceof Extent.InFile y) {
      return x.run == y.run;
    }
    return a instanceof Extent.InMemory x && b instanceof Extent.InMemory y && x.frame == y.frame;
  }
}
