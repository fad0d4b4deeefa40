package io.sluice.server.log;

import io.sluice.common.run.RunOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Runs of one shuffle in the order of their blocks. Guarded by the lock of its {@link ShuffleLog}.
 */
final class RunTable {
  /** A run and the arrival numbers of the frames in it. */
  static final class Entry {
    final StoredRun run;
    final RunOrder order;
    final long firstArrival;
    final long lastArrival;
    long bytes;
    int extents;
    boolean merging;
    boolean damaged;

    Entry(StoredRun run, RunOrder order, long firstArrival, long lastArrival) {
      this.run = run;
      this.order = order;
      this.firstArrival = firstArrival;
      this.lastArrival = lastArrival;
    }

    /** Whether a merge can start: there is none, and the run has all blocks of its index. */
    boolean isMergeable() {
      return !merging && !damaged;
    }
  }

  private final List<Entry> entries = new ArrayList<>();

  int count() {
    return entries.size();
  }

  void add(Entry entry) {
    int at = entries.size();
    while (at > 0 && entries.get(at - 1).firstArrival > entry.firstArrival) {
      at--;
    }
    entries.add(at, entry);
  }

  /** The entry of a run, or null. */
  Entry find(StoredRun run) {
    for (Entry entry : entries) {
      if (entry.run == run) {
        return entry;
      }
    }
    return null;
  }

  /** Entries of consecutive runs; null if a run is missing or the runs are not consecutive. */
  List<Entry> neighbours(List<StoredRun> runs) {
    int first = indexOf(runs.get(0));
    if (first < 0 || first + runs.size() > entries.size()) {
      return null;
    }
    List<Entry> found = List.copyOf(entries.subList(first, first + runs.size()));
    for (int i = 0; i < found.size(); i++) {
      if (found.get(i).run != runs.get(i) || (i > 0 && !follows(first + i))) {
        return null;
      }
    }
    return found;
  }

  /** Whether all {@code runs} are in the table. */
  boolean containsAll(Collection<StoredRun> runs) {
    for (StoredRun run : runs) {
      if (find(run) == null) {
        return false;
      }
    }
    return true;
  }

  void removeAll(Collection<StoredRun> runs) {
    entries.removeIf(entry -> runs.contains(entry.run));
  }

  List<StoredRun> runs() {
    return entries.stream().map(entry -> entry.run).toList();
  }

  List<LoggedRun> snapshot() {
    List<LoggedRun> runs = new ArrayList<>(entries.size());
    for (int i = 0; i < entries.size(); i++) {
      Entry entry = entries.get(i);
      runs.add(
          new LoggedRun(
              entry.run,
              entry.order,
              entry.bytes,
              entry.extents,
              i > 0 && follows(i),
              entry.isMergeable()));
    }
    return runs;
  }

  void clear() {
    entries.clear();
  }

  private boolean follows(int at) {
    return entries.get(at).firstArrival == entries.get(at - 1).lastArrival + 1;
  }

  private int indexOf(StoredRun run) {
    for (int i = 0; i < entries.size(); i++) {
      if (entries.get(i).run == run) {
        return i;
      }
    }
    return -1;
  }
}
