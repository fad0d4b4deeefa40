package io.sluice.server.model;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Predicate;

/** What was acknowledged of a partition, in order. */
final class ModelPartition {
  private final List<ModelEntry> entries = new ArrayList<>();
  private long length;

  /**
   * Something was lost, and the server may not have counted again all that is left: it may take a
   * block that it has, and call fewer attempts complete.
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

  /** Attempts of which every block is there. */
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

  /** The entries of a stretch that begins and ends with one. */
  List<ModelEntry> entries(long start, long end) {
    List<ModelEntry> found = new ArrayList<>();
    for (ModelEntry entry : entries) {
      if (entry.offset >= start && entry.end() <= end) {
        found.add(entry);
      }
    }
    return found;
  }

  /** Whether anything in a stretch is lost. */
  boolean isLost(long start, long end) {
    for (ModelEntry entry : entries) {
      if (entry.lost && entry.offset < end && entry.end() > start) {
        return true;
      }
    }
    return false;
  }

  /** Lost stretches as start and end, neighbours joined. */
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
   * Loses what lies in some runs.
   *
   * @return whether that was anything
   */
  boolean lose(Predicate<ModelRun> gone) {
    boolean any = false;
    for (ModelEntry entry : entries) {
      if (entry.run != null && gone.test(entry.run)) {
        entry.run = null;
        entry.lost = true;
        any = true;
      }
    }
    uncounted |= any;
    return any;
  }

  /** A new life of the server begins, which has to find everything first. */
  List<ModelEntry> clear() {
    List<ModelEntry> before = List.copyOf(entries);
    entries.clear();
    length = 0;
    uncounted = false;
    return before;
  }
}
