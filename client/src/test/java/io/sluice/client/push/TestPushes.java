package io.sluice.client.push;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.server.RetryPolicy;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockHeader;
import io.sluice.proto.ServerId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Pushes of a whole shuffle, and the check that none of its blocks is missing. */
final class TestPushes {
  static final int PARTITIONS = 8;

  /**
   * Limited by the number of attempts, so that the result does not depend on the machine's load.
   */
  static final RetryPolicy THREE_TRIES = new RetryPolicy(3, 1, 2, 20_000);

  /** Short, for requests without reply; all other requests complete before the call returns. */
  private static final RetryPolicy IMPATIENT = new RetryPolicy(3, 1, 2, 25);

  private TestPushes() {}

  static PushConfig config(int quorum) {
    return new PushConfig(16 << 10, 64 << 10, quorum, BlockCodec.LZ4, 1, THREE_TRIES, IMPATIENT);
  }

  static void add(PushSession session, int partition, int length) throws IOException {
    byte[] bytes = new byte[length];
    new Random(31L * partition + length).nextBytes(bytes);
    session.add(partition, bytes, 0, length, 1);
  }

  /** Adds batches to all partitions, in two passes, so that every server gets several frames. */
  static void addAll(PushSession session) throws IOException {
    for (int pass = 0; pass < 2; pass++) {
      for (int partition = 0; partition < PARTITIONS; partition++) {
        for (int i = 0; i < 3; i++) {
          add(session, partition, 4000);
        }
      }
    }
  }

  /** Verifies that every block is on a server of the partition's chains, or in local output. */
  static void assertWhole(
      FakeCluster cluster,
      ShuffleAssignment newest,
      CollectingSink sink,
      long attempt,
      long[] lengths) {
    Map<String, List<BlockHeader>> accepted = new HashMap<>();
    for (ServerId server : newest.servers()) {
      int index = Integer.parseInt(server.getName().substring("server-".length()));
      accepted.put(server.getName(), cluster.server(index).accepted());
    }
    for (int partition = 0; partition < newest.partitionCount(); partition++) {
      Map<Integer, BlockHeader> found = new TreeMap<>();
      List<BlockHeader> candidates = new ArrayList<>(sink == null ? List.of() : sink.blocks());
      int range = newest.rangeOf(partition);
      for (int replica = 0; replica < newest.replicaCount(range); replica++) {
        for (int position = 0; position < newest.chainLength(range, replica); position++) {
          ServerId server = newest.servers().get(newest.chainServer(range, replica, position));
          candidates.addAll(accepted.get(server.getName()));
        }
      }
      for (BlockHeader header : candidates) {
        if (header.partition() == partition && header.mapAttempt() == attempt) {
          found.put(header.sequence(), header);
        }
      }
      assertThat(found.keySet())
          .as("partition %d", partition)
          .containsExactlyElementsOf(IntStream.range(0, found.size()).boxed().toList());
      long bytes = found.values().stream().mapToLong(BlockHeader::payloadLength).sum();
      assertThat(bytes).as("partition %d", partition).isEqualTo(lengths[partition]);
      if (!found.isEmpty()) {
        assertThat(found.get(found.size() - 1).isLast()).as("partition %d", partition).isTrue();
      }
    }
  }
}
