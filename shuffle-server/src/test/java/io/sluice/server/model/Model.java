package io.sluice.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.run.DamagedBlock;
import io.sluice.common.run.RunId;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.SpillBatch;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Expected data of a server: lists of blocks, and the blocks of each run. */
final class Model {
  static final String APPLICATION = "app";

  private final Map<Integer, ModelShuffle> shuffles = new TreeMap<>();
  private final Map<RunId, ModelRun> runs = new HashMap<>();
  // The runs that are being written; the innermost is written first.
  private final Deque<Writing> writing = new ArrayDeque<>();
  // Runs found by the latest restart: complete ones, and those that no merged run replaces.
  private final Set<RunId> found = new LinkedHashSet<>();
  private final Set<RunId> served = new LinkedHashSet<>();
  // Newest epoch with acknowledged data that was lost and not removed.
  private long newestLostEpoch;

  /** A run that is being written. A catalog may list it long before its write ends. */
  private static final class Writing {
    final List<ModelEntry> entries;
    RunId listed;

    Writing(List<ModelEntry> entries) {
      this.entries = entries;
    }
  }

  static ShuffleKey key(int shuffle) {
    return new ShuffleKey(APPLICATION, shuffle);
  }

  /** Returns a shuffle, or null. */
  ModelShuffle find(int shuffle) {
    return shuffles.get(shuffle);
  }

  ModelShuffle shuffle(int shuffle) {
    return shuffles.computeIfAbsent(shuffle, unused -> new ModelShuffle());
  }

  void forget(int shuffle) {
    ModelShuffle known = shuffle(shuffle);
    known.forgotten = true;
    known.everForgotten = true;
  }

  ModelRun run(RunId id) {
    return runs.get(id);
  }

  /** Newest epoch with lost data. */
  long newestLostEpoch() {
    return newestLostEpoch;
  }

  /** Expected entries of a batch. */
  List<ModelEntry> entriesOf(SpillBatch batch) {
    ModelShuffle shuffle = shuffles.get(batch.log().key().shuffle());
    List<ModelEntry> entries = new ArrayList<>();
    for (SpillBatch.Part part : batch.parts()) {
      List<ModelEntry> its =
          shuffle.partition(part.partition()).entries(part.start(), part.start() + part.length());
      assertThat(its.stream().mapToLong(ModelEntry::length).sum()).isEqualTo(part.length());
      entries.addAll(its);
    }
    return entries;
  }

  /** Entries of several runs. */
  List<ModelEntry> entriesOf(List<RunId> ids) {
    List<ModelEntry> entries = new ArrayList<>();
    ids.forEach(id -> entries.addAll(runs.get(id).entries));
    return entries;
  }

  /** Starts to write a run with some entries. */
  void begin(List<ModelEntry> entries) {
    writing.push(new Writing(entries));
  }

  /**
   * Ends the run that was started last.
   *
   * @param taken whether the run was added to the log
   */
  void end(boolean taken) {
    Writing ended = writing.pop();
    if (taken) {
      ModelRun run = runs.get(ended.listed);
      ended.entries.forEach(entry -> entry.run = run);
    }
  }

  /** Records that a catalog added a run: the run that was started last, or one that was moved. */
  void registered(RunRecord record, int directory) {
    if (!runs.containsKey(record.id())) {
      Writing run = writing.element();
      run.listed = record.id();
      runs.put(record.id(), new ModelRun(record, run.entries, directory));
    }
  }

  /** Marks the entries of some runs as lost. */
  void lose(Predicate<ModelRun> lost) {
    for (ModelShuffle shuffle : shuffles.values()) {
      if (!shuffle.forgotten) {
        shuffle.partitions.values().forEach(partition -> partition.lose(lost));
      }
    }
  }

  /** Marks a damaged block of a run as lost. */
  void damage(RunId run, DamagedBlock block) {
    ModelRun damaged = runs.get(run);
    List<ModelEntry> entries =
        damaged.entries.stream()
            .filter(
                entry ->
                    entry.block.partition() == block.partition()
                        && entry.block.attempt() == block.listed().mapAttempt()
                        && entry.block.sequence() == block.listed().sequence())
            .toList();
    assertThat(entries).as("the damaged block, %s", block).hasSize(1);
    shuffles.get(shuffleOf(run)).partition(block.partition()).damage(entries.get(0));
  }

  /** Records that the server has recounted the remaining blocks. */
  void counted() {
    for (ModelShuffle shuffle : shuffles.values()) {
      shuffle.partitions.values().forEach(ModelPartition::counted);
    }
  }

  /** Whether the server may have blocks to recount. */
  boolean isUncounted() {
    return shuffles.values().stream()
        .flatMap(shuffle -> shuffle.partitions.values().stream())
        .anyMatch(ModelPartition::isUncounted);
  }

  /**
   * Computes the expected runs of the next start, from the directories after the end of the server.
   */
  void restart(List<ModelDirectory> directories) throws IOException {
    writing.clear();
    for (Map.Entry<Integer, ModelShuffle> entry : shuffles.entrySet()) {
      entry.getValue().forgotten = false;
      for (ModelDirectory directory : directories) {
        entry.getValue().forgotten |= directory.hasForgotten(key(entry.getKey()));
      }
    }
    found.clear();
    for (ModelDirectory directory : directories) {
      found.addAll(directory.wholeRuns());
    }
    Set<RunId> replaced = new HashSet<>();
    found.forEach(id -> replaced.addAll(runs.get(id).record.replaces()));
    served.clear();
    for (RunId id : found) {
      if (!replaced.contains(id) && !shuffles.get(shuffleOf(id)).forgotten) {
        served.add(id);
      }
    }
  }

  /**
   * Checks the runs after a restart.
   *
   * @param logged served runs with their directories, in order within each shuffle
   */
  void restarted(Map<RunId, Integer> logged) {
    assertThat(logged.keySet()).as("served runs").containsExactlyInAnyOrderElementsOf(served);
    Map<Integer, Set<ModelBlock>> foundBlocks = new HashMap<>();
    for (RunId id : found) {
      runs.get(id).entries.stream()
          .filter(entry -> !entry.damaged)
          .forEach(
              entry ->
                  foundBlocks
                      .computeIfAbsent(shuffleOf(id), unused -> new HashSet<>())
                      .add(entry.block));
    }
    Map<Integer, List<ModelEntry>> before = new HashMap<>();
    shuffles.forEach(
        (index, shuffle) -> {
          List<ModelEntry> its = new ArrayList<>();
          shuffle.partitions.values().forEach(partition -> its.addAll(partition.clear()));
          shuffle.partitions.clear();
          shuffle.written = false;
          before.put(index, its);
        });
    logged.forEach(this::layOut);
    shuffles.forEach(
        (index, shuffle) -> {
          for (ModelEntry entry : before.get(index)) {
            boolean present = foundBlocks.getOrDefault(index, Set.of()).contains(entry.block);
            if (!shuffle.forgotten) {
              assertThat(shuffle.has(entry.block))
                  .as("%s is served after the restart", entry.block)
                  .isEqualTo(present);
            }
            if (!present && !shuffle.everForgotten) {
              newestLostEpoch = Math.max(newestLostEpoch, entry.epoch);
            }
          }
        });
  }

  private void layOut(RunId id, int directory) {
    ModelRun run = runs.get(id);
    ModelShuffle shuffle = shuffles.get(shuffleOf(id));
    List<ModelEntry> again = new ArrayList<>();
    for (ModelEntry entry : run.entries) {
      ModelEntry next = shuffle.partition(entry.block.partition()).accept(entry.block, entry.epoch);
      next.damaged = entry.damaged;
      next.lost = entry.damaged;
      next.run = entry.damaged ? null : run;
      again.add(next);
    }
    run.entries = again;
    run.directory = directory;
    shuffle.written = true;
  }

  private int shuffleOf(RunId id) {
    return runs.get(id).record.shuffle().shuffle();
  }
}
