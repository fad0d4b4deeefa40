package io.sluice.server.model;

import static org.assertj.core.api.Assertions.assertThat;

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

/** What a server must hold: lists of blocks, and which of them each run has. */
final class Model {
  static final String APPLICATION = "app";

  private final Map<Integer, ModelShuffle> shuffles = new TreeMap<>();
  private final Map<RunId, ModelRun> runs = new HashMap<>();
  // What the runs will hold that are being written; the innermost is the one that goes on.
  private final Deque<List<ModelEntry>> writing = new ArrayDeque<>();
  private RunId added;
  // What the last restart found: runs that are whole, and those of them that nothing replaces.
  private final Set<RunId> found = new LinkedHashSet<>();
  private final Set<RunId> served = new LinkedHashSet<>();
  // The newest epoch of which something acknowledged is gone, though nobody forgot it.
  private long newestGone;

  static ShuffleKey key(int shuffle) {
    return new ShuffleKey(APPLICATION, shuffle);
  }

  /** What is known of a shuffle, or null. */
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

  /** The newest epoch of which something is gone. */
  long newestGone() {
    return newestGone;
  }

  /** What a batch holds by the model. */
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

  /** What several runs hold. */
  List<ModelEntry> entriesOf(List<RunId> ids) {
    List<ModelEntry> entries = new ArrayList<>();
    ids.forEach(id -> entries.addAll(runs.get(id).entries));
    return entries;
  }

  /** A run with some entries is being written from now on. */
  void begin(List<ModelEntry> entries) {
    writing.push(entries);
    added = null;
  }

  /**
   * The run that was begun last was written, or was not.
   *
   * @param taken whether the log has its entries there now
   */
  void end(boolean taken) {
    List<ModelEntry> entries = writing.pop();
    if (taken) {
      ModelRun run = runs.get(added);
      entries.forEach(entry -> entry.run = run);
    }
    added = null;
  }

  /** A catalog has taken a run in, which is the one that was begun last, or was moved. */
  void registered(RunRecord record, int directory) {
    if (!runs.containsKey(record.id())) {
      added = record.id();
      runs.put(record.id(), new ModelRun(record, writing.element(), directory));
    }
  }

  /** What is in some runs is lost. */
  void lose(Predicate<ModelRun> gone) {
    for (ModelShuffle shuffle : shuffles.values()) {
      if (!shuffle.forgotten) {
        shuffle.partitions.values().forEach(partition -> partition.lose(gone));
      }
    }
  }

  /** The server has counted again all that is left. */
  void counted() {
    for (ModelShuffle shuffle : shuffles.values()) {
      shuffle.partitions.values().forEach(ModelPartition::counted);
    }
  }

  /** Whether the server may have to count something again. */
  boolean isUncounted() {
    return shuffles.values().stream()
        .flatMap(shuffle -> shuffle.partitions.values().stream())
        .anyMatch(ModelPartition::isUncounted);
  }

  /** The server has ended; the next life finds what these directories hold. */
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
   * The next life has begun.
   *
   * @param logged the runs that it serves, of each shuffle in order, with their directories
   */
  void restarted(Map<RunId, Integer> logged) {
    assertThat(logged.keySet())
        .as("runs that are served")
        .containsExactlyInAnyOrderElementsOf(served);
    Map<Integer, Set<ModelBlock>> there = new HashMap<>();
    for (RunId id : found) {
      runs.get(id)
          .entries
          .forEach(
              entry ->
                  there.computeIfAbsent(shuffleOf(id), unused -> new HashSet<>()).add(entry.block));
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
            boolean left = there.getOrDefault(index, Set.of()).contains(entry.block);
            if (!shuffle.forgotten) {
              assertThat(shuffle.has(entry.block))
                  .as("%s is served again", entry.block)
                  .isEqualTo(left);
            }
            if (!left && !shuffle.everForgotten) {
              newestGone = Math.max(newestGone, entry.epoch);
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
      next.run = run;
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
