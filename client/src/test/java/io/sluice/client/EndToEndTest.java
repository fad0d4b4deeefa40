package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import io.netty.buffer.ByteBuf;
import io.sluice.client.compress.PayloadTransform;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Fate;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.client.push.BlockSizes;
import io.sluice.client.push.FramedPushSession;
import io.sluice.client.push.PushConfig;
import io.sluice.client.push.PushFailedException;
import io.sluice.client.push.PushOptions;
import io.sluice.client.push.RowBlocks;
import io.sluice.client.read.BlocksMissingException;
import io.sluice.client.read.PooledShuffleRead;
import io.sluice.client.read.ReadConfig;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.client.rows.TestRows;
import io.sluice.client.server.RetryPolicy;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.test.TestEffort;
import io.sluice.proto.Fetch;
import io.sluice.proto.Open;
import io.sluice.proto.Push;
import io.sluice.proto.ServerId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: under any faults, a reader gets each batch of each expected attempt exactly once and in
 * order, or an exception names the missing blocks; nothing leaks. Method: seeded random shuffles
 * with random faults over in-memory servers, compared with a map of the added batches. A failing
 * case prints its seed as the argument.
 */
class EndToEndTest {
  private static final List<BlockCodec> CODECS = List.of(BlockCodec.values());

  private static final int FIELDS = 3;

  private record Key(int partition, long attempt) {}

  static Stream<Arguments> seeds() {
    return IntStream.range(0, TestEffort.times(12))
        .mapToObj(seed -> Arguments.of((long) seed, seed % 3));
  }

  /**
   * Loses connections before and after a request, refuses requests, and damages bytes in transit.
   */
  private static final class RandomFaults implements Faults {
    private final Random random;
    private final int permille;

    RandomFaults(long seed, int permille) {
      this.random = new Random(seed);
      this.permille = permille;
    }

    private synchronized Fate fate() throws SluiceException {
      int dice = random.nextInt(1000);
      if (dice < permille) {
        return Fate.LOST_BEFORE;
      }
      if (dice < 2 * permille) {
        return Fate.LOST_AFTER;
      }
      if (dice < 3 * permille) {
        throw new SluiceException(StatusCode.BUSY, "busy");
      }
      return Fate.DONE;
    }

    @Override
    public synchronized Fate connect(ServerId server) {
      return random.nextInt(1000) < permille ? Fate.LOST_BEFORE : Fate.DONE;
    }

    @Override
    public synchronized Fate push(ServerId server, Push push, ByteBuf body) throws SluiceException {
      if (random.nextInt(1000) < permille) {
        throw new SluiceException(StatusCode.BLOCK_CORRUPT, "damaged on its way");
      }
      return fate();
    }

    @Override
    public Fate open(ServerId server, Open open) throws SluiceException {
      return fate();
    }

    @Override
    public Fate fetch(ServerId server, Fetch fetch) throws SluiceException {
      return fate();
    }

    @Override
    public synchronized void fetched(ServerId server, Fetch fetch, ByteBuf bytes) {
      if (random.nextInt(1000) < permille) {
        int at = random.nextInt(bytes.readableBytes());
        bytes.setByte(at, bytes.getByte(at) ^ 1 << random.nextInt(8));
      }
    }
  }

  private static final class Xor implements PayloadTransform {
    @Override
    public byte[] encode(byte[] payload, int offset, int length) {
      byte[] encoded = new byte[length + 16];
      for (int i = 0; i < length; i++) {
        encoded[16 + i] = (byte) (payload[offset + i] ^ 0x5a);
      }
      return encoded;
    }

    @Override
    public byte[] decode(byte[] payload, int offset, int length) {
      byte[] decoded = new byte[length - 16];
      for (int i = 0; i < decoded.length; i++) {
        decoded[i] = (byte) (payload[offset + 16 + i] ^ 0x5a);
      }
      return decoded;
    }
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void returnsEveryBatchExactlyOnceOrNamesMissingBlocks(long seed, int faultLevel)
      throws Exception {
    Random random = new Random(seed);
    int serverCount = 1 + random.nextInt(4);
    Faults faults = new RandomFaults(seed, faultLevel * 25);
    try (FakeCluster cluster =
        switch ((int) Math.floorMod(seed, 3L)) {
          case 0 -> FakeCluster.inline(serverCount, faults);
          case 1 -> FakeCluster.simulated(serverCount, faults, seed);
          default -> FakeCluster.threaded(serverCount, faults);
        }) {
      int frame = 4096 << random.nextInt(3);
      RetryPolicy retry = new RetryPolicy(100, 1, 2, 60_000);
      cluster.use(
          new PushConfig(
              frame,
              frame * (1L + random.nextInt(6)),
              1,
              CODECS.get(random.nextInt(CODECS.size())),
              1,
              retry,
              retry));
      cluster.use(
          new ReadConfig(
              1024 + random.nextInt(8192), 1 + random.nextInt(4), 1 << 30, 20_000, retry));
      PayloadTransform transform = random.nextInt(4) == 0 ? new Xor() : null;
      int partitions = 1 + random.nextInt(60);
      int ranges = 1 + random.nextInt(Math.min(partitions, 6));
      int replicas = 1 + random.nextInt(serverCount);
      ShuffleAssignment assignment = cluster.assign(partitions, ranges, replicas);

      Map<Key, Deque<byte[]>> expected = new HashMap<>();
      Map<Long, Integer> mapIndexes = new HashMap<>();
      int maps = 1 + random.nextInt(6);
      for (int map = 0; map < maps; map++) {
        // Losing attempts of speculation leave blocks too, some of them complete outputs.
        for (int loser = random.nextInt(2); loser > 0; loser--) {
          pushQuietly(cluster, assignment, map * 10L + loser, map, random, transform);
        }
        long attempt = map * 10L;
        mapIndexes.put(attempt, map);
        Map<Key, Deque<byte[]>> added = push(cluster, assignment, attempt, map, random, transform);
        expected.putAll(added);
      }
      boolean restarted = random.nextInt(10) == 0;
      if (restarted) {
        cluster.server(random.nextInt(serverCount)).restart();
        cluster.transport().dropConnections();
      }

      ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment);
      int firstMap = random.nextInt(3) == 0 ? random.nextInt(maps) : 0;
      int endMap = firstMap > 0 ? maps : Integer.MAX_VALUE;
      request.mapRange(firstMap, endMap);
      expected.keySet().removeIf(key -> mapIndexes.get(key.attempt()) < firstMap);
      expected
          .keySet()
          .forEach(
              key -> request.expect(key.partition(), key.attempt(), mapIndexes.get(key.attempt())));
      try (PooledShuffleRead read = cluster.read(request.build(), transform)) {
        drain(read, expected);
        assertThat(expected.values().stream().allMatch(Deque::isEmpty)).isTrue();
      } catch (BlocksMissingException e) {
        if (!restarted) {
          throw e;
        }
      }
    }
  }

  private static void drain(PooledShuffleRead read, Map<Key, Deque<byte[]>> expected)
      throws IOException {
    for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
      Deque<byte[]> left = expected.get(new Key(block.partition(), block.mapAttempt()));
      if (left == null || left.isEmpty()) {
        fail("unexpected content: " + block);
      }
      byte[] content = new byte[block.content().remaining()];
      block.content().get(content);
      assertThat(content).isEqualTo(left.removeFirst());
      assertThat(block.records()).isEqualTo(records(content));
    }
    assertThat(read.next()).isNull();
  }

  private static void pushQuietly(
      FakeCluster cluster,
      ShuffleAssignment assignment,
      long attempt,
      int map,
      Random random,
      PayloadTransform transform)
      throws IOException {
    try (FramedPushSession session =
        cluster.push(assignment, attempt, map, options(transform, random))) {
      addSome(session, assignment.partitionCount(), attempt, random);
      if (random.nextBoolean()) {
        session.finish();
      }
    } catch (PushFailedException e) {
      assertThat(e.code()).isNotNull();
    }
  }

  private static Map<Key, Deque<byte[]>> push(
      FakeCluster cluster,
      ShuffleAssignment assignment,
      long attempt,
      int map,
      Random random,
      PayloadTransform transform)
      throws IOException {
    try (FramedPushSession session =
        cluster.push(assignment, attempt, map, options(transform, random))) {
      Map<Key, Deque<byte[]>> added =
          addSome(session, assignment.partitionCount(), attempt, random);
      session.finish();
      long[] lengths = session.partitionLengths();
      for (int partition = 0; partition < lengths.length; partition++) {
        assertThat(lengths[partition] > 0)
            .isEqualTo(added.containsKey(new Key(partition, attempt)));
      }
      return added;
    }
  }

  private static Map<Key, Deque<byte[]>> addSome(
      FramedPushSession session, int partitions, long attempt, Random random) throws IOException {
    Map<Key, Deque<byte[]>> added = new HashMap<>();
    int passes = 1 + random.nextInt(3);
    for (int pass = 0; pass < passes; pass++) {
      if (pass == passes - 1 && random.nextBoolean()) {
        session.beginFinalPass();
      }
      List<Integer> order = new ArrayList<>();
      for (int partition = 0; partition < partitions; partition++) {
        for (int i = random.nextInt(3); i > 0; i--) {
          order.add(partition);
        }
      }
      for (int partition : order) {
        byte[] content = random.nextBoolean() ? rows(random) : content(random);
        session.add(partition, content, 0, content.length, records(content));
        added.computeIfAbsent(new Key(partition, attempt), k -> new ArrayDeque<>()).add(content);
      }
    }
    return added;
  }

  private static PushOptions options(PayloadTransform transform, Random random) {
    RowBlocks rows = random.nextInt(3) == 0 ? null : new RowBlocks(FIELDS);
    return new PushOptions(transform, null, null, BlockSizes.PAYLOADS, rows);
  }

  /** Number of rows, or any number for other bytes. */
  private static int records(byte[] content) {
    ByteBuffer left = ByteBuffer.wrap(content);
    int rows = 0;
    while (left.remaining() >= Integer.BYTES) {
      int length = left.getInt();
      if (length < 0 || length > left.remaining()) {
        break;
      }
      left.position(left.position() + length);
      rows++;
    }
    return left.hasRemaining() ? content.length % 7 + 1 : rows;
  }

  private static byte[] rows(Random random) {
    TestRows rows = new TestRows(FIELDS);
    for (int i = random.nextInt(300); i >= 0; i--) {
      rows.begin().number(0, i).number(1, random.nextInt(50));
      rows.value(2, new byte[random.nextInt(20)]).end();
    }
    return rows.bytes();
  }

  private static byte[] content(Random random) {
    int length =
        switch (random.nextInt(10)) {
          case 0 -> 1;
          case 1 -> 5000 + random.nextInt(40_000);
          default -> 1 + random.nextInt(800);
        };
    byte[] content = new byte[length];
    if (random.nextBoolean()) {
      random.nextBytes(content);
    } else {
      Arrays.fill(content, (byte) random.nextInt());
    }
    return content;
  }
}
