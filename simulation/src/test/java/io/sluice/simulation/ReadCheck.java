package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.file.DirectRunFiles;
import io.sluice.client.read.BlocksMissingException;
import io.sluice.client.read.MissingBlocks;
import io.sluice.client.read.PooledShuffleRead;
import io.sluice.client.read.ReadConfig;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.client.server.TaskEnvironment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Reads partitions, and compares each block with the block that the winning attempt wrote. A read
 * that fails must name map tasks whose data is really lost. Belongs to a simulation.
 */
final class ReadCheck {
  private final SimulatedThreads time;
  private final Random random;
  private final SimulatedDriver driver;
  private final int shuffle;
  private final TaskEnvironment tasks;
  private final ReadConfig config;
  private final ByteBufAllocator allocator;
  private final Servers servers;

  /** The blocks of a map attempt in a partition. */
  private record Output(int partition, long attempt) {}

  /** What is known about the data of servers. */
  interface Servers {
    /**
     * Fails if the blocks cannot be lost.
     *
     * @param startedNanos time at which the read started
     */
    void check(ShuffleAssignment assignment, MissingBlocks missing, long startedNanos);

    /**
     * Fails if a server has a block of the first of these partitions twice, or lists other bytes of
     * a partition than it stores.
     */
    void checkStored(ShuffleAssignment assignment, List<Integer> partitions);
  }

  ReadCheck(
      SimulatedThreads time,
      Random random,
      SimulatedDriver driver,
      int shuffle,
      TaskEnvironment tasks,
      ReadConfig config,
      ByteBufAllocator allocator,
      Servers servers) {
    this.time = time;
    this.random = random;
    this.driver = driver;
    this.shuffle = shuffle;
    this.tasks = tasks;
    this.config = config;
    this.allocator = allocator;
    this.servers = servers;
  }

  /**
   * Reads partitions of map tasks, and compares each block of each winning attempt, in its order.
   * In map order, compares the order of partitions and map tasks, too.
   *
   * @param wanted winning attempts by map index
   * @param firstMap first map index that the reader asks for
   * @param endMap end of these map indexes; the maximum: no limit
   * @return why the read failed; null if it did not
   */
  BlocksMissingException read(
      List<Integer> partitions,
      Map<Integer, SimulatedStage.Winner> wanted,
      int firstMap,
      int endMap) {
    long startedNanos = time.nanoTime();
    ShuffleReadRequest.Builder request =
        ShuffleReadRequest.builder(driver.newest(shuffle)).newest(driver::newest);
    if (endMap < Integer.MAX_VALUE) {
      request.mapRange(firstMap, endMap);
    }
    boolean mapOrder = random.nextBoolean();
    if (mapOrder) {
      request.mapOrder();
    }
    boolean anyOrder = mapOrder && random.nextBoolean();
    if (anyOrder) {
      request.anyOrder();
    }
    Map<Output, Deque<byte[]>> expected = new HashMap<>();
    for (int partition : partitions) {
      wanted.forEach(
          (map, winner) -> {
            List<byte[]> blocks = winner.blocks().get(partition);
            if (blocks != null) {
              request.expect(partition, winner.attempt(), map);
              expected.put(new Output(partition, winner.attempt()), new ArrayDeque<>(blocks));
            }
          });
    }
    try (PooledShuffleRead reader =
        new PooledShuffleRead(
            request.build(),
            null,
            config,
            DirectRunFiles.none(),
            tasks,
            allocator,
            (counters, failure) -> {})) {
      compare(reader, expected, mapOrder);
      servers.checkStored(driver.newest(shuffle), partitions);
      return null;
    } catch (BlocksMissingException e) {
      check(e, wanted, startedNanos);
      return e;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void compare(
      PooledShuffleRead reader, Map<Output, Deque<byte[]>> expected, boolean mapOrder)
      throws IOException {
    int lastPartition = -1;
    int lastMap = -1;
    for (ShuffleBlock block = reader.next(); block != null; block = reader.next()) {
      Deque<byte[]> left = expected.get(new Output(block.partition(), block.mapAttempt()));
      if (left == null || left.isEmpty()) {
        throw new AssertionError("no block is left of " + block);
      }
      byte[] content = new byte[block.content().remaining()];
      block.content().get(content);
      if (!Arrays.equals(content, left.removeFirst())) {
        throw new AssertionError("other bytes than the winning attempt wrote: " + block);
      }
      if (mapOrder && !isLater(block, lastPartition, lastMap)) {
        throw new AssertionError("not in map order: " + block);
      }
      lastPartition = block.partition();
      lastMap = block.mapIndex();
    }
    List<String> missing = new ArrayList<>();
    expected.forEach(
        (attempt, blocks) -> {
          if (!blocks.isEmpty()) {
            missing.add(attempt + ": " + blocks.size());
          }
        });
    assertThat(missing).as("blocks that the read left out without an error").isEmpty();
  }

  private static boolean isLater(ShuffleBlock block, int lastPartition, int lastMap) {
    return block.partition() > lastPartition
        || (block.partition() == lastPartition && block.mapIndex() >= lastMap);
  }

  private void check(
      BlocksMissingException e, Map<Integer, SimulatedStage.Winner> wanted, long startedNanos) {
    assertThat(e.missing()).as("missing blocks").isNotEmpty();
    ShuffleAssignment assignment = driver.newest(shuffle);
    for (MissingBlocks missing : e.missing()) {
      SimulatedStage.Winner winner = wanted.get(missing.mapIndex());
      assertThat(winner).as("map task of %s", missing).isNotNull();
      assertThat(missing.mapAttempt()).as("attempt of %s", missing).isEqualTo(winner.attempt());
      assertThat(winner.blocks()).containsKey(missing.partition());
      servers.check(assignment, missing, startedNanos);
    }
  }
}
