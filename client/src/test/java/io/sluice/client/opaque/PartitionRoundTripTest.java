package io.sluice.client.opaque;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.push.PushCounters;
import io.sluice.client.push.PushOptions;
import io.sluice.client.read.BlocksMissingException;
import io.sluice.client.read.ShuffleReadRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a reader gets every chunk of the expected attempts whole, in the order of the pushes, and
 * nothing else. Chunks begin with their length, so that the test sees where they end.
 */
class PartitionRoundTripTest {
  private static final Faults NONE = new Faults() {};
  private static final int BLOCK_BYTES = 1000;
  private static final int GATHER_BYTES = 4000;

  private static PartitionPusher pusher(FakeCluster cluster, ShuffleAssignment to, long attempt) {
    return new PartitionPusher(
        cluster.push(to, attempt, (int) attempt, PushOptions.NONE.opaque()),
        to.partitionCount(),
        BLOCK_BYTES,
        GATHER_BYTES);
  }

  /** A length, then a number, then bytes that follow from both. */
  private static byte[] chunk(int number, int length) {
    byte[] chunk = new byte[Math.max(8, length)];
    Arrays.fill(chunk, (byte) (number * 7 + length));
    ByteBuffer.wrap(chunk).putInt(chunk.length).putInt(number);
    return chunk;
  }

  /** Numbers of the chunks of a stream, which must be whole. */
  private static List<Integer> numbers(byte[] stream) {
    List<Integer> numbers = new ArrayList<>();
    ByteBuffer bytes = ByteBuffer.wrap(stream);
    while (bytes.hasRemaining()) {
      int length = bytes.getInt(bytes.position());
      int number = bytes.getInt(bytes.position() + 4);
      byte[] found = new byte[length];
      bytes.get(found);
      assertThat(found).isEqualTo(chunk(number, length));
      numbers.add(number);
    }
    return numbers;
  }

  private static ShuffleReadRequest.Builder request(ShuffleAssignment from, long... attempts) {
    ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(from);
    for (int partition = 0; partition < from.partitionCount(); partition++) {
      for (long attempt : attempts) {
        request.expect(partition, attempt, (int) attempt);
      }
    }
    return request;
  }

  /** Chunks by attempt and partition, in the order of their streams. */
  private static Map<String, List<Integer>> readAll(PartitionReader reader, Random random)
      throws IOException {
    Map<String, List<Integer>> found = new TreeMap<>();
    for (PartitionStream stream = reader.next(); stream != null; stream = reader.next()) {
      assertThat(stream.mapIndex()).isEqualTo((int) stream.mapAttempt());
      String key = stream.mapAttempt() + "/" + stream.partition();
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      byte[] buffer = new byte[300];
      for (int count = stream.read(buffer, 0, 1 + random.nextInt(buffer.length));
          count >= 0;
          count = stream.read(buffer, 0, 1 + random.nextInt(buffer.length))) {
        bytes.write(buffer, 0, count);
      }
      found.computeIfAbsent(key, any -> new ArrayList<>()).addAll(numbers(bytes.toByteArray()));
    }
    return found;
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void returnsEveryChunkWholeAndInOrder(long seed) throws Exception {
    Random random = new Random(seed);
    try (FakeCluster cluster = FakeCluster.simulated(3, NONE, seed)) {
      ShuffleAssignment assignment =
          cluster.assign(1 + random.nextInt(6), 1, 1 + random.nextInt(2));
      Map<String, List<Integer>> pushed = new TreeMap<>();
      for (long attempt = 0; attempt < 3; attempt++) {
        try (PartitionPusher pusher = pusher(cluster, assignment, attempt)) {
          for (int number = 0; number < 100; number++) {
            int partition = random.nextInt(assignment.partitionCount());
            // Some chunks are larger than a block, some larger than a frame.
            byte[] chunk = chunk(number, random.nextInt(random.nextInt(8) == 0 ? 40_000 : 400));
            pusher.push(partition, chunk, 0, chunk.length);
            pushed.computeIfAbsent(attempt + "/" + partition, any -> new ArrayList<>()).add(number);
          }
          pusher.finish();
        }
      }
      ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
      pushed.keySet().stream()
          .map(key -> key.split("/"))
          .filter(key -> !key[0].equals("1"))
          .forEach(
              key ->
                  request.expect(
                      Integer.parseInt(key[1]), Long.parseLong(key[0]), Integer.parseInt(key[0])));
      pushed.keySet().removeIf(key -> key.startsWith("1/"));

      try (PartitionReader reader = new PartitionReader(cluster.read(request.build()))) {
        assertThat(readAll(reader, random)).isEqualTo(pushed);
      }
    }
  }

  @Test
  void gathersSmallChunksIntoBlocks() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      ShuffleAssignment assignment = cluster.assign(2, 1, 1);
      try (PartitionPusher pusher = pusher(cluster, assignment, 0)) {
        for (int number = 0; number < 200; number++) {
          byte[] chunk = chunk(number, 90);
          pusher.push(number % 2, chunk, 0, chunk.length);
        }
        pusher.finish();

        PushCounters counters = pusher.counters();
        assertThat(counters.records()).isEqualTo(200);
        assertThat(counters.uncompressedBytes()).isEqualTo(200 * 90);
        // 11 chunks in a block of 1,000 bytes.
        assertThat(counters.blocks()).isEqualTo(20);
        // Opaque bytes that could be compressed are not.
        assertThat(pusher.partitionLengths()).containsExactly(100 * 90, 100 * 90);
      }
    }
  }

  @Test
  void skipsTheRestOfAStream() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      ShuffleAssignment assignment = cluster.assign(3, 1, 1);
      try (PartitionPusher pusher = pusher(cluster, assignment, 0)) {
        for (int partition = 0; partition < 3; partition++) {
          for (int number = 0; number < 50; number++) {
            byte[] chunk = chunk(number, 200);
            pusher.push(partition, chunk, 0, chunk.length);
          }
        }
        pusher.finish();
      }
      try (PartitionReader reader =
          new PartitionReader(cluster.read(request(assignment, 0).mapOrder().build()))) {
        List<Integer> partitions = new ArrayList<>();
        for (PartitionStream stream = reader.next(); stream != null; stream = reader.next()) {
          partitions.add(stream.partition());
          assertThat(stream.read()).isZero();
          assertThat(stream.available()).isPositive();
        }
        assertThat(partitions).containsExactly(0, 1, 2);
      }
    }
  }

  @Test
  void reportsMissingChunks() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE)) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      try (PartitionPusher pusher = pusher(cluster, assignment, 0)) {
        pusher.push(0, chunk(0, 100), 0, 100);
        pusher.finish();
      }
      try (PartitionReader reader =
          new PartitionReader(cluster.read(request(assignment, 0, 1).build()))) {
        assertThatThrownBy(() -> readAll(reader, new Random(1)))
            .isInstanceOfSatisfying(
                BlocksMissingException.class,
                missing -> assertThat(missing.missing().get(0).mapAttempt()).isEqualTo(1));
      }
    }
  }

  @Test
  void refusesEmptyChunksAndUnknownPartitions() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE);
        PartitionPusher pusher = pusher(cluster, cluster.assign(1, 1, 1), 0)) {
      assertThatThrownBy(() -> pusher.push(0, new byte[1], 0, 0))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> pusher.push(1, new byte[1], 0, 1))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void pushesNothingAfterTheEnd() throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, NONE);
        PartitionPusher pusher = pusher(cluster, cluster.assign(1, 1, 1), 0)) {
      pusher.finish();
      assertThatThrownBy(() -> pusher.push(0, new byte[1], 0, 1))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(pusher::finish).isInstanceOf(IllegalStateException.class);
    }
  }
}
