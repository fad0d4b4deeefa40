package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.coordinator.LeasedApplicationSession;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration;
import io.sluice.client.fake.VirtualTime;
import io.sluice.client.file.DirectRunFiles;
import io.sluice.client.push.ApplicationAssignments;
import io.sluice.client.push.FramedPushSession;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushConfig;
import io.sluice.client.push.PushFailedException;
import io.sluice.client.push.PushOptions;
import io.sluice.client.push.PushWindows;
import io.sluice.client.push.ReplacementServers;
import io.sluice.client.read.BlocksMissingException;
import io.sluice.client.read.MissingBlocks;
import io.sluice.client.read.PooledShuffleRead;
import io.sluice.client.read.ReadConfig;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.client.server.TaskEnvironment;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A job with one shuffle, as an engine runs it: map attempts push, failed ones are repeated, a
 * reader gets the data of the winning attempts, and lost map output is computed again. The reader's
 * data is compared with the data that was pushed. Belongs to one thread.
 */
final class SimulatedJob {
  private static final int SHUFFLE = 3;
  private static final int MAX_TRIES = 60;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final VirtualTime time;
  private final Random random;
  private final SimulatedNetwork network;
  private final LeasedApplicationSession session;
  private final ApplicationAssignments assignments;
  private final TaskEnvironment tasks;
  private final PushConfig push;
  private final ReadConfig read;
  private final PushWindows windows;
  private final ByteBufAllocator allocator;
  private final int partitions;
  private final int maps;
  // By map index.
  private final List<Winner> winners = new ArrayList<>();
  private long attempts;
  private int failedAttempts;
  private int failedReads;
  private BlocksMissingException lastFailedRead;

  /** The attempt of a map task that the engine commits, with its blocks by partition. */
  private record Winner(long attempt, Map<Integer, List<byte[]>> blocks) {}

  SimulatedJob(
      VirtualTime time,
      Random random,
      SimulatedNetwork network,
      LeasedApplicationSession session,
      TaskEnvironment tasks,
      PushConfig push,
      ReadConfig read,
      ByteBufAllocator allocator) {
    this.time = time;
    this.random = random;
    this.network = network;
    this.session = session;
    this.assignments = new ApplicationAssignments(session::replacementServer, 3, time::nanoTime);
    this.tasks = tasks;
    this.push = push;
    this.read = read;
    this.windows = new PushWindows(push.frameBytes(), push.inFlightBytes(), 0);
    this.allocator = allocator;
    this.partitions = 1 + random.nextInt(40);
    this.maps = 1 + random.nextInt(6);
  }

  /** Attempts that failed, because their server lost data or could not be reached. */
  int failedAttempts() {
    return failedAttempts;
  }

  /** Reads that failed, because blocks were missing. */
  int failedReads() {
    return failedReads;
  }

  /** Why the last of these reads failed; null if none did. */
  BlocksMissingException lastFailedRead() {
    return lastFailedRead;
  }

  void run() throws IOException {
    assignments.register(register());
    for (int map = 0; map < maps; map++) {
      winners.add(runMap(map));
    }
    for (int tries = 1; ; tries++) {
      assertThat(tries).as("tries of a read").isLessThan(MAX_TRIES);
      try {
        readAll();
        return;
      } catch (BlocksMissingException e) {
        failedReads++;
        lastFailedRead = e;
        Set<Integer> lost = new LinkedHashSet<>();
        e.missing().stream().map(MissingBlocks::mapIndex).forEach(lost::add);
        time.advance(PAUSE_NANOS);
        for (int map : lost) {
          winners.set(map, runMap(map));
        }
      }
    }
  }

  /** Registers the shuffle; a coordinator knows no servers soon after its start. */
  private ShuffleAssignment register() {
    for (int tries = 1; ; tries++) {
      ShuffleRegistration registration = session.registerShuffle(SHUFFLE, partitions);
      if (registration instanceof ShuffleRegistration.Assigned assigned) {
        return assigned.assignment();
      }
      assertThat(tries).as("registrations, last answer %s", registration).isLessThan(MAX_TRIES);
      time.advance(PAUSE_NANOS);
    }
  }

  /** Runs attempts of a map task until one succeeds. */
  private Winner runMap(int map) throws IOException {
    for (int tries = 1; ; tries++) {
      assertThat(tries).as("attempts of map %s", map).isLessThan(MAX_TRIES);
      boolean loses = random.nextInt(4) == 0;
      Winner attempt = attempt(map, loses);
      if (attempt != null && !loses) {
        return attempt;
      }
      if (attempt == null) {
        time.advance(PAUSE_NANOS);
      }
    }
  }

  /**
   * Runs one attempt.
   *
   * @param loses whether the engine does not commit it: it may end at any point
   * @return null if it failed
   */
  private Winner attempt(int map, boolean loses) throws IOException {
    long attempt = attempts++;
    Map<Integer, List<byte[]>> blocks = new HashMap<>();
    try (FramedPushSession out =
        FramedPushSession.toServers(
            assignments.newest(SHUFFLE),
            new MapAttempt(attempt, map),
            new PushOptions(null, this::replace, null),
            push,
            tasks,
            windows,
            allocator,
            counters -> {})) {
      int passes = 1 + random.nextInt(2);
      for (int pass = 0; pass < passes; pass++) {
        if (pass == passes - 1 && random.nextBoolean()) {
          out.beginFinalPass();
        }
        for (int partition = 0; partition < partitions; partition++) {
          for (int i = random.nextInt(3); i > 0; i--) {
            byte[] block = new byte[1 + random.nextInt(random.nextInt(8) == 0 ? 20_000 : 600)];
            random.nextBytes(block);
            out.add(partition, block, 0, block.length, 1);
            blocks.computeIfAbsent(partition, unused -> new ArrayList<>()).add(block);
          }
        }
        if (loses && random.nextBoolean()) {
          return null;
        }
      }
      out.finish();
      return new Winner(attempt, blocks);
    } catch (PushFailedException e) {
      failedAttempts++;
      return null;
    }
  }

  private CompletableFuture<ShuffleAssignment> replace(
      ShuffleAssignment known, String server, ReplacementServers.Cause cause, List<Integer> full) {
    CompletableFuture<ShuffleAssignment> answer = new CompletableFuture<>();
    time.schedule(
        network.delayNanos(),
        () -> answer.complete(assignments.replace(SHUFFLE, server, cause, full)));
    return answer;
  }

  private CompletableFuture<ShuffleAssignment> newest(ShuffleAssignment known) {
    CompletableFuture<ShuffleAssignment> answer = new CompletableFuture<>();
    time.schedule(network.delayNanos(), () -> answer.complete(assignments.newest(SHUFFLE)));
    return answer;
  }

  /**
   * Reads all partitions, and compares each block of each winning attempt, in its order. In map
   * order, compares the order of partitions and map tasks, too.
   */
  private void readAll() throws IOException {
    ShuffleReadRequest.Builder request =
        ShuffleReadRequest.builder(assignments.newest(SHUFFLE)).newest(this::newest);
    boolean mapOrder = random.nextBoolean();
    if (mapOrder) {
      request.mapOrder();
      if (random.nextBoolean()) {
        request.anyOrder();
      }
    }
    long last = -1;
    Map<String, Deque<byte[]>> expected = new HashMap<>();
    for (int map = 0; map < maps; map++) {
      Winner winner = winners.get(map);
      for (Map.Entry<Integer, List<byte[]>> blocks : winner.blocks().entrySet()) {
        request.expect(blocks.getKey(), winner.attempt(), map);
        expected.put(blocks.getKey() + "/" + winner.attempt(), new ArrayDeque<>(blocks.getValue()));
      }
    }
    try (PooledShuffleRead reader =
        new PooledShuffleRead(
            request.build(), null, read, DirectRunFiles.none(), tasks, allocator, counters -> {})) {
      for (ShuffleBlock block = reader.next(); block != null; block = reader.next()) {
        Deque<byte[]> left = expected.get(block.partition() + "/" + block.mapAttempt());
        assertThat(left).as("blocks left of %s", block).isNotNull().isNotEmpty();
        byte[] content = new byte[block.content().remaining()];
        block.content().get(content);
        assertThat(content).isEqualTo(left.removeFirst());
        long position = (long) block.partition() * maps + block.mapIndex();
        assertThat(!mapOrder || position >= last).as("in map order: %s", block).isTrue();
        last = position;
      }
    }
    assertThat(expected.values()).allMatch(Deque::isEmpty);
  }
}
