package org.apache.hadoop.mapred;

import io.sluice.client.push.PushCounters;
import io.sluice.client.push.PushSession;
import io.sluice.client.server.ServerTimes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A push session that records the added blocks. */
final class AddedContents implements PushSession {
  /** Bytes of blocks in the counters. */
  static final long BYTES = 4711;

  final List<List<byte[]>> byPartition = new ArrayList<>();
  final List<Integer> order = new ArrayList<>();
  boolean finalPass;
  boolean finished;

  AddedContents(int partitions) {
    for (int i = 0; i < partitions; i++) {
      byPartition.add(new ArrayList<>());
    }
  }

  @Override
  public void add(int partition, byte[] bytes, int offset, int length, int records) {
    byPartition.get(partition).add(Arrays.copyOfRange(bytes, offset, offset + length));
    order.add(partition);
  }

  @Override
  public void beginFinalPass() {
    finalPass = true;
  }

  @Override
  public void finish() {
    finished = true;
  }

  @Override
  public long[] partitionLengths() {
    throw new UnsupportedOperationException();
  }

  @Override
  public PushCounters counters() {
    return new PushCounters(
        0, BYTES, 0, 0, 0, 0, 0, 0, new PushCounters.Rerouted(0, 0, 0, 0), ServerTimes.NONE);
  }

  @Override
  public void close() {}
}
