package io.sluice.server.log;

import java.util.Arrays;
import java.util.Set;

/**
 * Extents of one partition, without gaps from offset 0. A server has tens of millions of extents in
 * files. Each is stored as two numbers and a reference; {@link #get} creates an object. Extents in
 * memory are stored as objects. Guarded by the lock of its {@link ShuffleLog}.
 */
final class ExtentList {
  private static final Object LOST = new Object();

  // Two values per extent: logical start; offset in its file.
  private long[] offsets = new long[2];
  // Storage of each extent: a StoredRun, an Extent.InMemory, or LOST.
  private Object[] sources = new Object[1];
  private int count;
  private long length;

  int count() {
    return count;
  }

  /** Bytes of all extents. */
  long length() {
    return length;
  }

  Extent get(int at) {
    Object source = sources[at];
    if (source instanceof Extent.InMemory memory) {
      return memory;
    }
    return source == LOST
        ? new Extent.Lost(start(at), end(at) - start(at))
        : new Extent.InFile(
            (StoredRun) source, offsets[2 * at + 1], end(at) - start(at), start(at));
  }

  boolean isInMemory(int at) {
    return sources[at] instanceof Extent.InMemory;
  }

  boolean isLost(int at) {
    return sources[at] == LOST;
  }

  long start(int at) {
    return offsets[2 * at];
  }

  long end(int at) {
    return at + 1 == count ? length : start(at + 1);
  }

  /** Appends an extent that starts at {@link #length}. */
  void append(Extent extent) {
    assert extent.start == length : "extent at " + extent.start + ", log ends at " + length;
    if (count == sources.length) {
      resize(count + Math.max(1, count / 2));
    }
    count++;
    length = extent.end();
    set(count - 1, extent);
  }

  /** Index of the extent that contains {@code offset}, which is less than {@link #length}. */
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
   * Replaces the extents of the same byte range by {@code replacement}.
   *
   * @return change of the number of extents that are not in memory
   * @throws IllegalStateException if no extents start and end at the same offsets as {@code
   *     replacement}
   */
  int replace(Extent replacement) {
    int first = find(replacement.start);
    int last = find(replacement.end() - 1);
    if (start(first) != replacement.start || end(last) != replacement.end()) {
      throw new IllegalStateException(
          "no extents from offset " + replacement.start + " to " + replacement.end());
    }
    int change = replacement instanceof Extent.InMemory ? 0 : 1;
    for (int i = first; i <= last; i++) {
      change -= isInMemory(i) ? 0 : 1;
    }
    int removed = last - first;
    if (removed > 0) {
      System.arraycopy(sources, last + 1, sources, first + 1, count - last - 1);
      System.arraycopy(offsets, 2 * (last + 1), offsets, 2 * (first + 1), 2 * (count - last - 1));
      Arrays.fill(sources, count - removed, count, null);
      count -= removed;
      if (count * 2 <= sources.length) {
        resize(count);
      }
    }
    set(first, replacement);
    return change;
  }

  /**
   * Marks all extents in some runs as lost.
   *
   * @return whether there were any
   */
  boolean lose(Set<StoredRun> runs) {
    boolean any = false;
    for (int i = 0; i < count; i++) {
      if (sources[i] instanceof StoredRun run && runs.contains(run)) {
        sources[i] = LOST;
        any = true;
      }
    }
    return any;
  }

  /**
   * Marks bytes of a run as lost. Extents of which a part remains are split.
   *
   * @return whether the partition had the bytes
   */
  boolean lose(StoredRun run, long fileOffset, long bytes) {
    boolean any = false;
    for (int i = 0; i < count; i++) {
      if (sources[i] == run) {
        Extent.InFile extent = (Extent.InFile) get(i);
        long from = Math.max(fileOffset, extent.fileOffset);
        long to = Math.min(fileOffset + bytes, extent.fileOffset + extent.length);
        if (from < to) {
          i = split(i, extent, from, to);
          any = true;
        }
      }
    }
    return any;
  }

  /**
   * Replaces an extent by a lost one from file offset {@code from} to {@code to}, and the parts
   * before and behind it.
   *
   * @return index of the last part
   */
  private int split(int at, Extent.InFile extent, long from, long to) {
    long before = from - extent.fileOffset;
    long lost = to - from;
    long after = extent.length - before - lost;
    insert(at, (before > 0 ? 1 : 0) + (after > 0 ? 1 : 0));
    int next = at;
    if (before > 0) {
      set(next++, new Extent.InFile(extent.run, extent.fileOffset, before, extent.start));
    }
    set(next, new Extent.Lost(extent.start + before, lost));
    if (after > 0) {
      next++;
      set(next, new Extent.InFile(extent.run, to, after, extent.start + before + lost));
    }
    return next;
  }

  /** Makes room for more extents behind the one at an index. */
  private void insert(int at, int more) {
    if (count + more > sources.length) {
      resize(count + Math.max(more, count / 2));
    }
    int behind = count - at - 1;
    System.arraycopy(sources, at + 1, sources, at + 1 + more, behind);
    System.arraycopy(offsets, 2 * (at + 1), offsets, 2 * (at + 1 + more), 2 * behind);
    count += more;
  }

  private void set(int at, Extent extent) {
    offsets[2 * at] = extent.start;
    if (extent instanceof Extent.InFile file) {
      offsets[2 * at + 1] = file.fileOffset;
      sources[at] = file.run;
    } else {
      offsets[2 * at + 1] = 0;
      sources[at] = extent instanceof Extent.InMemory ? extent : LOST;
    }
  }

  private void resize(int capacity) {
    sources = Arrays.copyOf(sources, capacity);
    offsets = Arrays.copyOf(offsets, 2 * capacity);
  }
}
