package io.sluice.server.log;

import java.util.Arrays;
import java.util.Set;

/**
 * The extents of one partition, without gaps from offset 0. A server has tens of millions of those
 * that lie in files, so they are kept as three numbers each, and made into objects when they are
 * asked for; those in memory are objects already. Guarded by the lock of its {@link ShuffleLog}.
 */
final class ExtentList {
  private static final Object LOST = new Object();

  // Two for each extent: its logical start; where it begins in its file.
  private long[] places = new long[2];
  // What it lies in: a StoredRun, an Extent.InMemory, or LOST.
  private Object[] holders = new Object[1];
  private int count;
  private long length;

  int count() {
    return count;
  }

  /** Bytes of all of them. */
  long length() {
    return length;
  }

  Extent get(int at) {
    Object holder = holders[at];
    if (holder instanceof Extent.InMemory memory) {
      return memory;
    }
    return holder == LOST
        ? new Extent.Lost(start(at), end(at) - start(at))
        : new Extent.InFile((StoredRun) holder, places[2 * at + 1], end(at) - start(at), start(at));
  }

  boolean isInMemory(int at) {
    return holders[at] instanceof Extent.InMemory;
  }

  boolean isLost(int at) {
    return holders[at] == LOST;
  }

  long start(int at) {
    return places[2 * at];
  }

  long end(int at) {
    return at + 1 == count ? length : start(at + 1);
  }

  /** Adds an extent that begins at {@link #length}. */
  void append(Extent extent) {
    assert extent.start == length : "extent at " + extent.start + ", log ends at " + length;
    if (count == holders.length) {
      resize(count + Math.max(1, count / 2));
    }
    count++;
    length = extent.end();
    set(count - 1, extent);
  }

  /** Number of the extent that holds {@code offset}, which lies before {@link #length}. */
  int find(long offset) {
    int low = 0;
    int high = count - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (start(middle) <= offset) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  /**
   * Lets {@code replacement} take the place of the extents that hold the same stretch.
   *
   * @return how many more of the extents are not in memory than before; negative for fewer
   * @throws IllegalStateException if no extents begin and end where it does
   */
  int replace(Extent replacement) {
    int first = find(replacement.start);
    int last = find(replacement.end() - 1);
    if (start(first) != replacement.start || end(last) != replacement.end()) {
      throw new IllegalStateException(
          "no extents from " + replacement.start + " to " + replacement.end());
    }
    int change = replacement instanceof Extent.InMemory ? 0 : 1;
    for (int i = first; i <= last; i++) {
      change -= isInMemory(i) ? 0 : 1;
    }
    int removed = last - first;
    if (removed > 0) {
      System.arraycopy(holders, last + 1, holders, first + 1, count - last - 1);
      System.arraycopy(places, 2 * (last + 1), places, 2 * (first + 1), 2 * (count - last - 1));
      Arrays.fill(holders, count - removed, count, null);
      count -= removed;
      if (count * 2 <= holders.length) {
        resize(count);
      }
    }
    set(first, replacement);
    return change;
  }

  /**
   * Forgets what lies in some runs.
   *
   * @return whether anything did
   */
  boolean lose(Set<StoredRun> runs) {
    boolean any = false;
    for (int i = 0; i < count; i++) {
      if (holders[i] instanceof StoredRun run && runs.contains(run)) {
        holders[i] = LOST;
        any = true;
      }
    }
    return any;
  }

  private void set(int at, Extent extent) {
    places[2 * at] = extent.start;
    if (extent instanceof Extent.InFile file) {
      places[2 * at + 1] = file.fileOffset;
      holders[at] = file.run;
    } else {
      places[2 * at + 1] = 0;
      holders[at] = extent instanceof Extent.InMemory ? extent : LOST;
    }
  }

  private void resize(int capacity) {
    holders = Arrays.copyOf(holders, capacity);
    places = Arrays.copyOf(places, 2 * capacity);
  }
}
