package io.sluice.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Fate;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.common.test.TestEffort;
import io.sluice.proto.ServerId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: for any distribution of the blocks, a read returns each batch exactly once, or names only
 * attempts with a block that no location has. Method: every block is stored at random on servers of
 * a chain, on replicas, in local output, on several of them or nowhere. Servers are down; local
 * output is damaged or fails. The result is compared with the set of available blocks. Some reads
 * start without the newest servers of the shuffle, and get them from a newer assignment. Many reads
 * request the order of map indexes, with memory for all blocks or for fewer. A failing case prints
 * its seed.
 */
class UnionReadTest {
  private static final int SERVERS = 5;

  private static final Comparator<ShuffleBlock> MAP_ORDER =
      Comparator.comparingInt(ShuffleBlock::partition).thenComparingInt(ShuffleBlock::mapIndex);

  private record Key(int partition, long attempt) {}

  /** A distribution of blocks, and the expected result. */
  private static final class Scene implements Faults {
    final Random random;
    final Set<String> down = new HashSet<>();
    final List<TestBlocks> made = new ArrayList<>();
    final Map<Key, Set<Integer>> reachable = new HashMap<>();
    boolean isDown;
    ShuffleAssignment first;

    Scene(long seed) {
      this.random = new Random(seed);
    }

    @Override
    public Fate connect(ServerId server) {
      return isDown && down.contains(server.getName()) ? Fate.LOST_BEFORE : Fate.DONE;
    }

    boolean chance(int percent) {
      return random.nextInt(100) < percent;
    }

    boolean isWhole(TestBlocks blocks) {
      return reachable.get(new Key(blocks.partition(), blocks.attempt())).size() == blocks.count();
    }
  }

  static LongStream seeds() {
    return LongStream.range(0, TestEffort.times(60));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void returnsTheUnionOfAllLocationsOrNamesMissingBlocks(long seed) throws Exception {
    Scene scene = new Scene(seed);
    Random random = scene.random;
    try (FakeCluster cluster =
        seed % 2 == 0 ? FakeCluster.inline(SERVERS, scene) : FakeCluster.threaded(SERVERS, scene)) {
      ShuffleAssignment assignment = assignment(scene, cluster);
      FakeLocalOutput local = new FakeLocalOutput(seed);
      distribute(scene, cluster, assignment, local);
      boolean mapOrder = scene.chance(70);
      boolean fits = scene.chance(70);
      long inputBytes = scene.made.stream().mapToLong(UnionReadTest::inputBytes).sum();
      cluster.use(
          new ReadConfig(
              1024 + random.nextInt(4096),
              1 + random.nextInt(4),
              1 << 30,
              20_000,
              fits ? inputBytes : random.nextInt((int) inputBytes + 1),
              FakeCluster.QUICK,
              ""));
      scene.isDown = true;
      cluster.transport().dropConnections();

      boolean anyOrder = random.nextBoolean();
      boolean late = scene.chance(50);
      ShuffleReadRequest.Builder request =
          ShuffleReadRequest.builder(late ? scene.first : assignment);
      request.localOutput(local);
      if (late) {
        request.newest(
            known -> scene.chance(50) ? answered(assignment) : later(cluster, assignment));
      }
      if (anyOrder) {
        request.anyOrder();
      }
      if (mapOrder) {
        request.mapOrder();
      }
      if (!late && scene.chance(20)) {
        request.waitFor(10_000, 1 + random.nextInt(1000));
      }
      scene.made.forEach(
          blocks -> request.expect(blocks.partition(), blocks.attempt(), mapIndex(blocks, seed)));
      try (PooledShuffleRead read = cluster.read(request.build())) {
        List<ShuffleBlock> order = drain(read, scene.made, anyOrder && !(mapOrder && fits));
        if (mapOrder && fits) {
          assertThat(order).isSortedAccordingTo(MAP_ORDER);
        }
        assertThat(scene.made).allMatch(scene::isWhole);
      } catch (BlocksMissingException e) {
        for (MissingBlocks missing : e.missing()) {
          TestBlocks blocks = blocks(scene, missing);
          assertThat(scene.isWhole(blocks)).as("%s is whole", missing).isFalse();
        }
      }
      assertThat(local.isClosed()).isTrue();
    }
  }

  /** Map indexes in another order than attempts. */
  private static int mapIndex(TestBlocks blocks, long seed) {
    return (int) (blocks.attempt() ^ (seed & 3));
  }

  private static long inputBytes(TestBlocks blocks) {
    long bytes = 0;
    for (int i = 0; i < blocks.count(); i++) {
      bytes += blocks.block(i).length + MapOrder.BLOCK_HEAP_BYTES;
    }
    return bytes;
  }

  private static TestBlocks blocks(Scene scene, MissingBlocks missing) {
    return scene.made.stream()
        .filter(
            one -> one.partition() == missing.partition() && one.attempt() == missing.mapAttempt())
        .findAny()
        .orElseThrow();
  }

  private static CompletionStage<ShuffleAssignment> answered(ShuffleAssignment newest) {
    return CompletableFuture.completedFuture(newest);
  }

  private static CompletionStage<ShuffleAssignment> later(
      FakeCluster cluster, ShuffleAssignment newest) {
    CompletableFuture<ShuffleAssignment> answer = new CompletableFuture<>();
    cluster.runLater(() -> answer.complete(newest));
    return answer;
  }

  private static ShuffleAssignment assignment(Scene scene, FakeCluster cluster) {
    Random random = scene.random;
    int partitions = 1 + random.nextInt(6);
    int ranges = 1 + random.nextInt(Math.min(2, partitions));
    ShuffleAssignment assignment = cluster.assign(partitions, ranges, 1 + random.nextInt(2));
    scene.first = assignment;
    for (int change = random.nextInt(3); change > 0; change--) {
      String server = "server-" + random.nextInt(SERVERS);
      ServerId by = cluster.server(random.nextInt(SERVERS)).id();
      if (by.getName().equals(server)
          || assignment.indexOf(server) < 0
          || assignment.hasReplaced(server)
          || assignment.hasReplaced(by.getName())) {
        continue;
      }
      assignment =
          switch (random.nextInt(4)) {
            case 0 -> assignment.replaceFailed(server, by);
            case 1 -> assignment.moved(server, by);
            case 2 -> assignment.adopted(server, by);
            default -> assignment.replaceFull(server, new int[] {random.nextInt(partitions)}, by);
          };
    }
    return assignment;
  }

  /** Distributes blocks; in an easy scene, every block is stored. */
  private static void distribute(
      Scene scene, FakeCluster cluster, ShuffleAssignment assignment, FakeLocalOutput local) {
    Random random = scene.random;
    for (int server = 0; server < SERVERS; server++) {
      if (scene.chance(15)) {
        scene.down.add("server-" + server);
      }
    }
    int nowherePercent = scene.chance(70) ? 0 : 5;
    int attempts = 1 + random.nextInt(4);
    for (int partition = 0; partition < assignment.partitionCount(); partition++) {
      VisitOrder order = VisitOrder.of(assignment, assignment.rangeOf(partition), 0);
      for (long attempt = 0; attempt < attempts; attempt++) {
        if (scene.chance(15)) {
          continue;
        }
        int[] blocksEach = random.ints(1 + random.nextInt(6), 1, 4).toArray();
        TestBlocks blocks =
            TestBlocks.of(partition, attempt, random, 1 + random.nextInt(900), blocksEach);
        Set<Integer> reachable = new HashSet<>();
        scene.reachable.put(new Key(partition, attempt), reachable);
        scene.made.add(blocks);
        boolean hasLocal = scene.chance(50);
        boolean localFails = hasLocal && scene.chance(10);
        if (localFails) {
          local.fail(partition, attempt, "executor is gone");
        }
        List<Integer> sequence = new ArrayList<>();
        for (int i = 0; i < blocks.count(); i++) {
          sequence.add(i);
        }
        if (scene.chance(50)) {
          java.util.Collections.shuffle(sequence, random);
        }
        for (int one : sequence) {
          if (scene.chance(nowherePercent)) {
            continue;
          }
          int copies = 1 + (scene.chance(40) ? random.nextInt(3) : 0);
          for (int copy = 0; copy < copies; copy++) {
            int to = random.nextInt(order.count() + (hasLocal ? 1 : 0));
            if (to < order.count()) {
              int server = order.server(to);
              String name = assignment.servers().get(server).getName();
              blocks.push(
                  cluster.pool(),
                  assignment,
                  cluster.server(Integer.parseInt(name.substring("server-".length()))),
                  one);
              if (!scene.down.contains(name)) {
                reachable.add(one);
              }
            } else if (scene.chance(5)) {
              byte[] damaged = blocks.block(one);
              damaged[damaged.length - 1] ^= 1;
              local.add(partition, attempt, damaged);
            } else {
              local.add(blocks, one);
              if (!localFails) {
                reachable.add(one);
              }
            }
          }
        }
      }
    }
  }

  /** Returns the batches in the order of delivery; their contents are consumed. */
  private static List<ShuffleBlock> drain(
      PooledShuffleRead read, List<TestBlocks> made, boolean anyOrder) throws Exception {
    Map<Key, Deque<byte[]>> expected = new HashMap<>();
    made.forEach(
        blocks ->
            expected.put(
                new Key(blocks.partition(), blocks.attempt()), new ArrayDeque<>(blocks.batches())));
    List<ShuffleBlock> order = new ArrayList<>();
    for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
      order.add(block);
      Deque<byte[]> left = expected.get(new Key(block.partition(), block.mapAttempt()));
      byte[] content = new byte[block.content().remaining()];
      block.content().get(content);
      assertThat(block.records()).isEqualTo(content.length);
      if (anyOrder) {
        if (!left.removeIf(one -> java.util.Arrays.equals(one, content))) {
          fail("unexpected content: " + block);
        }
      } else {
        assertThat(content).isEqualTo(left.removeFirst());
      }
    }
    assertThat(expected.values()).allMatch(Deque::isEmpty);
    return order;
  }
}
