package io.sluice.server.log;

import java.util.List;

/** Replaces runs of a log by merged ones. Thread-safe with the lock of its {@link LogState}. */
final class LogMerges {
  private final LogState content;
  private final LogLosses losses;

  LogMerges(LogState content, LogLosses losses) {
    this.content = content;
    this.losses = losses;
  }

  /**
   * See {@link ShuffleLog#takeForMerge}.
   *
   * @param log of the batch
   */
  MergeBatch take(ShuffleLog log, List<StoredRun> neighbours) {
    if (neighbours.size() < 2) {
      throw new IllegalArgumentException("a merge of " + neighbours.size() + " runs");
    }
    MergeBatch.Builder batch;
    List<PartitionLog> partitions;
    synchronized (content.lock) {
      List<RunTable.Entry> entries = content.runs.neighbours(neighbours);
      if (entries == null || entries.stream().anyMatch(entry -> entry.merging)) {
        return null;
      }
      for (RunTable.Entry entry : entries) {
        entry.merging = true;
        entry.run.retain();
      }
      batch = new MergeBatch.Builder(log, neighbours, entries.get(0).order);
      partitions = content.sorted();
    }
    for (int from = 0; from < partitions.size(); from += LogState.PARTITIONS_AT_ONCE) {
      int to = Math.min(partitions.size(), from + LogState.PARTITIONS_AT_ONCE);
      synchronized (content.lock) {
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
   * @param batch takes
   * @param merged takes
   */
  boolean complete(MergeBatch batch, StoredRun merged, long[] fileOffsets) {
    boolean taken;
    synchronized (content.lock) {
      List<RunTable.Entry> inputs =
          content.state == LogState.State.LIVE ? content.runs.neighbours(batch.inputs()) : null;
      taken = inputs != null;
      if (taken) {
        RunTable.Entry entry =
            new RunTable.Entry(
                merged,
                batch.order(),
                inputs.get(0).firstArrival,
                inputs.get(inputs.size() - 1).lastArrival);
        entry.bytes = batch.bytes();
        entry.extents = batch.partCount();
        content.runs.removeAll(batch.inputs());
        content.runs.add(entry);
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
      synchronized (content.lock) {
        live = content.state == LogState.State.LIVE;
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
   * @param batch takes
   */
  void abort(MergeBatch batch) {
    synchronized (content.lock) {
      for (StoredRun input : batch.inputs()) {
        RunTable.Entry entry = content.runs.find(input);
        if (entry != null) {
          entry.merging = false;
        }
      }
    }
    batch.releaseInputs();
  }
}
