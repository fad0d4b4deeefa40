package io.sluice.server.log;

import java.util.List;

/** Replaces runs of a log by merged runs. Thread-safe with the lock of its {@link LogState}. */
final class LogMerges {
  private final LogState logState;
  private final LogLosses losses;

  LogMerges(LogState logState, LogLosses losses) {
    this.logState = logState;
    this.losses = losses;
  }

  /**
   * See {@link ShuffleLog#takeForMerge}.
   *
   * @param log log of the batch
   */
  MergeBatch take(ShuffleLog log, List<StoredRun> neighbours) {
    if (neighbours.size() < 2) {
      throw new IllegalArgumentException("a merge needs at least two runs: " + neighbours.size());
    }
    MergeBatch.Builder batch;
    List<PartitionLog> partitions;
    synchronized (logState.lock) {
      List<RunTable.Entry> entries = logState.runs.neighbours(neighbours);
      if (entries == null || !entries.stream().allMatch(RunTable.Entry::isMergeable)) {
        return null;
      }
      for (RunTable.Entry entry : entries) {
        entry.merging = true;
        entry.run.retain();
      }
      batch = new MergeBatch.Builder(log, neighbours, entries.get(0).order);
      partitions = logState.sorted();
    }
    for (int from = 0; from < partitions.size(); from += LogState.PARTITIONS_AT_ONCE) {
      int to = Math.min(partitions.size(), from + LogState.PARTITIONS_AT_ONCE);
      synchronized (logState.lock) {
        for (PartitionLog partition : partitions.subList(from, to)) {
          partition.collect(batch);
        }
      }
    }
    return batch.build();
  }

  /**
   * See {@link ShuffleLog#completeMerge}.
   *
   * @param batch this method takes ownership
   * @param merged this method takes ownership
   */
  boolean complete(MergeBatch batch, StoredRun merged, long[] fileOffsets) {
    boolean taken;
    synchronized (logState.lock) {
      List<RunTable.Entry> inputs =
          logState.state == LogState.State.LIVE ? logState.runs.neighbours(batch.inputs()) : null;
      // The merged run has the bytes of blocks that were found damaged during the merge.
      taken = inputs != null && inputs.stream().noneMatch(entry -> entry.damaged);
      if (taken) {
        RunTable.Entry entry =
            new RunTable.Entry(
                merged,
                batch.order(),
                inputs.get(0).firstArrival,
                inputs.get(inputs.size() - 1).lastArrival);
        entry.bytes = batch.bytes();
        entry.extents = batch.partCount();
        logState.runs.removeAll(batch.inputs());
        logState.runs.add(entry);
      }
    }
    if (!taken) {
      abort(batch);
      merged.discard();
      return false;
    }
    boolean live = true;
    for (int from = 0; live && from < batch.partCount(); from += LogState.PARTITIONS_AT_ONCE) {
      int to = Math.min(batch.partCount(), from + LogState.PARTITIONS_AT_ONCE);
      synchronized (logState.lock) {
        live = logState.state == LogState.State.LIVE;
        for (int i = from; live && i < to; i++) {
          losses.moveTo(
              merged, fileOffsets[i], batch.partition(i), batch.logicalStart(i), batch.length(i));
        }
      }
    }
    batch.inputs().forEach(StoredRun::discard);
    batch.releaseInputs();
    return true;
  }

  /**
   * See {@link ShuffleLog#abortMerge}.
   *
   * @param batch this method takes ownership
   */
  void abort(MergeBatch batch) {
    synchronized (logState.lock) {
      for (StoredRun input : batch.inputs()) {
        RunTable.Entry entry = logState.runs.find(input);
        if (entry != null) {
          entry.merging = false;
        }
      }
    }
    batch.releaseInputs();
  }
}
