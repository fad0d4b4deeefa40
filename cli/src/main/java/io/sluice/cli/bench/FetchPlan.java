package io.sluice.cli.bench;

import io.sluice.cli.bench.BenchCluster.Share;
import io.sluice.proto.Fetch;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PartitionState;
import io.sluice.proto.Presence;
import io.sluice.proto.Range;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.SliceMark;
import io.sluice.transport.client.DataConnection;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * Fetches of all data of a shuffle on one server. Ranges begin and end at slice marks, so that each
 * contains whole blocks.
 *
 * @param work fetches in any order; thread-safe
 * @param bytes total length, including block headers
 * @param partitions number of partitions that are not empty
 */
record FetchPlan(Queue<Fetch> work, long bytes, int partitions) {
  /** Limits of the protocol for one request. */
  private static final int MAX_PARTITIONS_PER_OPEN = 4096;

  private static final int MAX_RANGES_PER_FETCH = 16384;

  /**
   * Opens every partition of the share.
   *
   * @param connection borrowed, to the share's server
   * @param sliceBytes approximate size of a fetch; the bytes between two marks are not split
   * @throws IOException with server and partition if data is lost or expired
   */
  static FetchPlan of(
      DataConnection connection, Share share, ShuffleId shuffle, long sliceBytes, long timeoutMs)
      throws IOException, InterruptedException {
    Builder builder = new Builder(shuffle, sliceBytes);
    int[] partitions = share.partitions();
    for (int from = 0; from < partitions.length; from += MAX_PARTITIONS_PER_OPEN) {
      int to = Math.min(partitions.length, from + MAX_PARTITIONS_PER_OPEN);
      Open open =
          Open.newBuilder()
              .setShuffle(shuffle)
              .addAllPartitions(
                  Arrays.stream(partitions, from, to).boxed().collect(Collectors.toList()))
              .setAssignedEpoch(share.server().getEpoch())
              .setWantSliceMarks(true)
              .build();
      try {
        builder.add(
            share.server().getName(), connection.open(open).get(timeoutMs, TimeUnit.MILLISECONDS));
      } catch (ExecutionException failure) {
        throw new IOException(failure.getCause().getMessage(), failure.getCause());
      } catch (TimeoutException late) {
        throw new IOException(
            "server "
                + share.server().getName()
                + " did not answer an open request within "
                + timeoutMs
                + " ms",
            late);
      }
    }
    return builder.build();
  }

  private static final class Builder {
    private final ShuffleId shuffle;
    private final long sliceBytes;
    private final Queue<Fetch> work = new ArrayDeque<>();
    private Fetch.Builder fetch;
    private long fetchBytes;
    private long bytes;
    private int partitions;

    private Builder(ShuffleId shuffle, long sliceBytes) {
      this.shuffle = shuffle;
      this.sliceBytes = sliceBytes;
    }

    private void add(String server, OpenReply reply) throws IOException {
      cut();
      fetch = Fetch.newBuilder().setShuffle(shuffle).setEpoch(reply.getEpoch());
      for (PartitionState state : reply.getPartitionsList()) {
        requirePresent(server, state);
        if (state.getLength() > 0) {
          partitions++;
          bytes += state.getLength();
          slices(state);
        }
      }
      cut();
      fetch = null;
    }

    private static void requirePresent(String server, PartitionState state) throws IOException {
      Presence presence = state.getPresence();
      if (presence == Presence.DATA_LOST || presence == Presence.SHUFFLE_EXPIRED) {
        throw new IOException(
            "data is not available: partition="
                + state.getPartition()
                + " server="
                + server
                + " presence="
                + presence);
      }
    }

    private void slices(PartitionState state) {
      long start = 0;
      for (SliceMark mark : state.getSliceMarksList()) {
        long end = mark.getOffset() + mark.getLength();
        if (end - start >= sliceBytes) {
          range(state.getPartition(), start, end);
          start = end;
        }
      }
      if (start < state.getLength()) {
        range(state.getPartition(), start, state.getLength());
      }
    }

    private void range(int partition, long start, long end) {
      fetch.addRanges(
          Range.newBuilder().setPartition(partition).setOffset(start).setLength(end - start));
      fetchBytes += end - start;
      if (fetchBytes >= sliceBytes || fetch.getRangesCount() == MAX_RANGES_PER_FETCH) {
        cut();
      }
    }

    private void cut() {
      if (fetch != null && fetch.getRangesCount() > 0) {
        work.add(fetch.build());
        fetch.clearRanges();
        fetchBytes = 0;
      }
    }

    private FetchPlan build() {
      return new FetchPlan(new ConcurrentLinkedQueue<>(work), bytes, partitions);
    }
  }
}
