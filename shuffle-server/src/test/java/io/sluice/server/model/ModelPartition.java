package io.sluice.server.model;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Acknowledged blocks of a partition, in order. */
final class ModelPartition {
  private final List<ModelEntry> entries = new ArrayList<>();
  private long length;

  /**
   * True after a loss, until the server has recounted the remaining blocks. Until then it may
   * accept a duplicate block, and report fewer complete attempts.
   */
  private boolean uncounted;

  long length() {
    return length;
  }

  boolean isUncounted() {
    return uncounted;
  }

  void counted() {
    uncounted = false;
  }

  boolean has(ModelBlock block) {
    for (ModelEntry entry : entries) {
      if (entry.block.equals(block) && !entry.lost) {
        return true;
      }
    }
    return false;
  }

  ModelEntry accept(ModelBlock block, long epoch) {
    ModelEntry entry = new ModelEntry(block, epoch, length);
    entries.add(entry);
    length = entry.end();
    return entry;
  }

  /** Attempts whose blocks are all present. */
  SortedSet<Long> complete() {
    Map<Integer, TreeSet<Integer>> found = new HashMap<>();
    TreeSet<Long> complete = new TreeSet<>();
    for (ModelEntry entry : entries) {
      if (!entry.lost) {
        TreeSet<Integer> its =
            found.computeIfAbsent(entry.block.attempt(), unused -> new TreeSet<>());
        its.add(entry.block.sequence());
        if (its.size() == entry.block.count()) {
          complete.add((long) entry.block.attempt());
        }
      }
    }
    return complete;
  }

  /** Entries of a range that starts and ends at entry boundaries. */
  List<ModelEntry> entries(long start, long end) {
    List<ModelEntry> found = new ArrayList<>();
    for (ModelEntry entry : entries) {
      if (entry.offset >= start && entry.end() <= end) {
        found.add(entry);
      }
    }
    return found;
  }

  /** Whether a range has lost bytes. */
  boolean isLost(long start, long end) {
    for (ModelEntry entry : entries) {
      if (entry.lost && entry.offset < end && entry.end() > start) {
        return true;
      }
    }
    return false;
  }

  /** Lost ranges as start and end; adjacent ranges are joined. */
  List<List<Long>> lost() {
    List<List<Long>> lost = new ArrayList<>();
    for (ModelEntry entry : entries) {
      if (entry.lost) {
        long start = entry.offset;
        if (!lost.isEmpty() && lost.get(lost.size() - 1).get(1) == start) {
          start = lost.remove(lost.size() - 1).get(0);
        }
        lost.add(List.of(start, entry.end()));
      }
    }
    return lost;
  }

  void copyTo(ByteArrayOutputStream target, long start, long end) {
    for (ModelEntry entry : entries) {
      if (entry.offset < end && entry.end() > start) {
        int from = (int) Math.max(0, start - entry.offset);
        int to = (int) Math.min(entry.length(), end - entry.offset);
        target.write(entry.block.bytes(), from, to - from);
      }
    }
  }

  /**
   * Marks the entries of some runs as lost.
   *
   * @return whether there were any
   */
  boolean lose(Predicate<ModelRun> lost) {
    boolean any = false;
    for (ModelEntry entry : entries) {
      if (entry.run != null && lost.test(entry.run)) {
        entry.run = null;
        entry.lost = true;
        any = true;
      }
    }
    uncounted |= any;
    return any;
  }

  /** Marks a damaged block of a run as lost. */
  void damage(ModelEntry entry) {
    entry.run = null;
    entry.lost = true;
    entry.damaged = true;
    uncounted = true;
  }

  /** Removes all entries before a restart and returns them. */
  List<ModelEntry> clear() {
    List<ModelEntry> before = List.copyOf(entries);
    entries.clear();
    length = 0;
    uncounted = false;
    return before;
  }
}
