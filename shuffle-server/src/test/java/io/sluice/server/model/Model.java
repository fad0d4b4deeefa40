package io.sluice.server.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.run.RunId;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.SpillBatch;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What a server must hold: lists of blocks, and which of them each run has. */
final class Model {
  static final String APPLICATION = "app";

  private final Map<Integer, ModelShuffle> shuffles = new TreeMap<>();
  private final Map<RunId, ModelRun> runs = new HashMap<>();
  // What the runs will hold that are being written; the innermost is the one that goes on.
  private final Deque<Set<ModelEntry>> writing = new ArrayDeque<>();
  private RunId added;
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
  Set<ModelEntry> entriesOf(SpillBatch batch) {
    ModelShuffle shuffle = shuffles.get(batch.log().key().shuffle());
    Set<ModelEntry> entries = newSet();
    for (SpillBatch.Part part : batch.parts()) {
      List<ModelEntry> its =
          shuffle.partition(part.partition()).entries(part.start(), part.start() + part.length());
      assertThat(its.stream().mapToLong(ModelEntry::length).sum()).isEqualTo(part.length());
      entries.addAll(its);
    }
    return entries;
  }

  /** What several runs hold. */
  Set<ModelEntry> entriesOf(List<RunId> ids) {
    Set<ModelEntry> entries = newSet();
    ids.forEach(id -> entries.addAll(runs.get(id).entries));
    return entries;
  }

  /** A run with some entries is being written from now on. */
  void begin(Set<ModelEntry> entries) {
    writing.push(entries);
    added = null;
  }

  /**
   * The run that was begun last was written, or was not.
   *
   * @param taken whether the log has its entries there now
   */
  void end(boolean taken) {
    Set<ModelEntry> entries = writing.pop();
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
      runs.put(record.id(), new ModelRun(record.id(), writing.element(), directory));
    }
  }

  /** What lies in some directories is lost. */
  void lose(Set<Integer> directories) {
    for (ModelShuffle shuffle : shuffles.values()) {
      if (!shuffle.forgotten) {
        for (ModelPartition partition : shuffle.partitions.values()) {
          partition.lose(run -> directories.contains(run.directory));
        }
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

  /** A new life of the server finds what runs hold that are recorded and whole. */
  void restart(List<ModelDirectory> directories) throws IOException {
    writing.clear();
    Map<ModelEntry, ModelRun> found = new IdentityHashMap<>();
    Set<ModelShuffle> known = new HashSet<>(shuffles.values());
    for (ModelShuffle shuffle : known) {
      shuffle.forgotten = false;
    }
    for (int at = 0; at < directories.size(); at++) {
      for (RunId id : directories.get(at).wholeRuns()) {
        ModelRun run = runs.get(id);
        run.directory = at;
        run.entries.forEach(entry -> found.put(entry, run));
      }
      for (Map.Entry<Integer, ModelShuffle> entry : shuffles.entrySet()) {
        entry.getValue().forgotten |= directories.get(at).hasForgotten(key(entry.getKey()));
      }
    }
    for (ModelShuffle shuffle : known) {
      shuffle.written = false;
      for (ModelPartition partition : shuffle.partitions.values()) {
        for (ModelEntry gone :
            partition.restart(entry -> shuffle.forgotten ? null : found.get(entry))) {
          if (!shuffle.everForgotten) {
            newestGone = Math.max(newestGone, gone.epoch);
          }
        }
        shuffle.written |= partition.length() > 0;
      }
      shuffle.partitions.values().removeIf(partition -> partition.length() == 0);
    }
  }

  /** The log of a shuffle has a run, which lies in a directory. */
  void restored(RunId id, int directory) {
    ModelRun run = runs.get(id);
    run.directory = directory;
    run.entries.forEach(entry -> entry.run = run);
  }

  private static Set<ModelEntry> newSet() {
    return Collections.newSetFromMap(new IdentityHashMap<>());
  }
}
