package io.sluice.server.background;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.LoggedRun;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.StoredRun;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Finds what to merge: looks at the runs of each shuffle, cuts them into stretches of neighbours
 * that lie on working disks of one kind, and asks the policy of that kind. No threads, no files.
 * Thread-safe if what it asks is.
 */
final class MergePlanner {
  private final Map<StorageKind, MergePolicy> policies;
  private final MergeBounds bounds;
  private final Predicate<StoredRun> isLeftOut;

  /**
   * @param isLeftOut whether a run must not be merged
   */
  MergePlanner(
      Map<StorageKind, MergePolicy> policies, MergeBounds bounds, Predicate<StoredRun> isLeftOut) {
    this.policies = policies;
    this.bounds = bounds;
    this.isLeftOut = isLeftOut;
  }

  /** Every merge that is worth doing now, those that gain most first. */
  List<MergeTask> plan(Collection<ShuffleLog> logs) {
    List<MergeTask> tasks = new ArrayList<>();
    for (ShuffleLog log : logs) {
      plan(log, tasks);
    }
    tasks.sort(Comparator.comparingDouble(MergeTask::gain).reversed());
    return tasks;
  }

  private void plan(ShuffleLog log, List<MergeTask> tasks) {
    Stretch stretch = new Stretch(log, null);
    for (LoggedRun run : log.runs()) {
      StorageKind kind = mergeableKind(run);
      if (kind == null || kind != stretch.kind || !run.followsPrevious()) {
        stretch.plan(tasks);
        stretch = new Stretch(log, kind);
      }
      if (kind != null) {
        stretch.add(run);
      }
    }
    stretch.plan(tasks);
  }

  /** The kind of the disk that the run is on, or null if it is not to be merged. */
  private StorageKind mergeableKind(LoggedRun run) {
    if (!run.merging()
        && run.bytes() > 0
        && run.extents() > 0
        && run.run() instanceof RunFile file
        && policies.containsKey(file.disk().kind())
        && file.disk().health().state().isWritten()
        && !isLeftOut.test(file)) {
      return file.disk().kind();
    }
    return null;
  }

  /** Neighbours on disks of one kind. */
  private final class Stretch {
    private final ShuffleLog log;
    private final StorageKind kind;
    private final List<RunFile> files = new ArrayList<>();
    private final List<MergeCandidate> candidates = new ArrayList<>();

    Stretch(ShuffleLog log, StorageKind kind) {
      this.log = log;
      this.kind = kind;
    }

    void add(LoggedRun run) {
      files.add((RunFile) run.run());
      boolean merged = !((RunFile) run.run()).record().replaces().isEmpty();
      candidates.add(new MergeCandidate(run.bytes(), run.extents(), merged));
    }

    void plan(List<MergeTask> tasks) {
      if (files.size() < 2) {
        return;
      }
      for (MergeWindow window : policies.get(kind).windows(candidates, bounds)) {
        List<RunFile> inputs = files.subList(window.from(), window.to());
        long bytes = inputs.stream().mapToLong(RunFile::length).sum();
        Disk output = output(inputs, bytes);
        if (output != null) {
          tasks.add(
              new MergeTask(
                  log, List.<StoredRun>copyOf(inputs), output, bytes, window.gain(candidates)));
        }
      }
    }

    /** Of the disks that hold the inputs and have room, the one that holds most. */
    private Disk output(List<RunFile> inputs, long bytes) {
      Map<String, Long> held = new TreeMap<>();
      for (RunFile file : inputs) {
        held.merge(file.disk().name(), file.length(), Long::sum);
      }
      Disk best = null;
      for (RunFile file : inputs) {
        Disk disk = file.disk();
        if (disk != best
            && disk.mayWrite(bytes)
            && (best == null || held.get(disk.name()) > held.get(best.name()))) {
          best = disk;
        }
      }
      return best;
    }
  }
}
