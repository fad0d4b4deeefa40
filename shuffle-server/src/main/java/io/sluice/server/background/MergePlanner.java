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
 * Plans merges: splits the runs of each shuffle into sequences of neighbours on healthy disks of
 * one kind, and applies the policy of that kind. Has no threads and does no I/O. Thread-safe if the
 * given policies and predicate are.
 */
final class MergePlanner {
  private final Map<StorageKind, MergePolicy> policies;
  private final MergeBounds bounds;
  private final Predicate<StoredRun> isExcluded;

  /**
   * @param isExcluded whether a run must not be merged
   */
  MergePlanner(
      Map<StorageKind, MergePolicy> policies, MergeBounds bounds, Predicate<StoredRun> isExcluded) {
    this.policies = policies;
    this.bounds = bounds;
    this.isExcluded = isExcluded;
  }

  /** All merges to do now, highest gain first. */
  List<MergeTask> plan(Collection<ShuffleLog> logs) {
    List<MergeTask> tasks = new ArrayList<>();
    for (ShuffleLog log : logs) {
      plan(log, tasks);
    }
    tasks.sort(Comparator.comparingDouble(MergeTask::gain).reversed());
    return tasks;
  }

  private void plan(ShuffleLog log, List<MergeTask> tasks) {
    RunSequence sequence = new RunSequence(log, null);
    for (LoggedRun run : log.runs()) {
      StorageKind kind = mergeableKind(run);
      if (kind == null || kind != sequence.kind || !run.followsPrevious()) {
        sequence.plan(tasks);
        sequence = new RunSequence(log, kind);
      }
      if (kind != null) {
        sequence.add(run);
      }
    }
    sequence.plan(tasks);
  }

  /** The kind of the disk of the run, or null if the run must not be merged. */
  private StorageKind mergeableKind(LoggedRun run) {
    if (run.mergeable()
        && run.bytes() > 0
        && run.extents() > 0
        && run.run() instanceof RunFile file
        && policies.containsKey(file.disk().kind())
        && file.disk().health().state().isWritten()
        && !isExcluded.test(file)) {
      return file.disk().kind();
    }
    return null;
  }

  /** Neighbours on disks of one kind. */
  private final class RunSequence {
    private final ShuffleLog log;
    private final StorageKind kind;
    private final List<RunFile> files = new ArrayList<>();
    private final List<MergeCandidate> candidates = new ArrayList<>();

    RunSequence(ShuffleLog log, StorageKind kind) {
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

    /** The disk that stores most input bytes, among the inputs' disks with free space. */
    private Disk output(List<RunFile> inputs, long bytes) {
      Map<String, Long> inputBytes = new TreeMap<>();
      for (RunFile file : inputs) {
        inputBytes.merge(file.disk().name(), file.length(), Long::sum);
      }
      Disk best = null;
      for (RunFile file : inputs) {
        Disk disk = file.disk();
        if (disk != best
            && disk.mayWrite(bytes)
            && (best == null || inputBytes.get(disk.name()) > inputBytes.get(best.name()))) {
          best = disk;
        }
      }
      return best;
    }
  }
}
