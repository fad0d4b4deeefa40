package io.sluice.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.VirtualTime;
import io.sluice.client.push.FramedPushSession;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushConfig;
import io.sluice.client.push.PushFailedException;
import io.sluice.client.push.PushOptions;
import io.sluice.client.push.PushWindows;
import io.sluice.client.read.BlocksMissingException;
import io.sluice.client.read.MissingBlocks;
import io.sluice.client.read.ReadConfig;
import io.sluice.client.server.TaskEnvironment;
import io.sluice.common.error.StatusCode;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * One shuffle of an application, as an engine runs it: map tasks run side by side, slow ones twice,
 * failed ones again; some readers start early, some late, some read a range of the map tasks; lost
 * map output is computed again. Belongs to a simulation.
 */
final class SimulatedStage {
  /** With a pause of half a second on average: longer than errors of a disk are remembered. */
  private static final int MAX_TRIES = 300;

  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long FOREVER_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final int MAX_THINK_MS = 60;
  private static final int MAX_SLOW_THINK_MS = 600;

  /** Number of map tasks of which one writes to a partition, on average, if the data is sparse. */
  private static final int SPARSE = 8;

  private final SimulatedThreads time;
  private final Random random;
  private final SimulatedDriver driver;
  private final int shuffle;
  private final TaskEnvironment tasks;
  private PushConfig push;
  private final PushWindows windows;
  private final ByteBufAllocator allocator;
  private final ReadCheck reads;
  private final int partitions;
  private final boolean sparse;
  private final int maxThinkMs;

  /** The winning attempts by map index; null: none yet. */
  private final Winner[] winners;

  private int attempts;
  private int failedAttempts;
  private int speculations;
  private int failedReads;
  private boolean ended;

  /** The attempt of a map task that the engine commits, with its blocks by partition. */
  record Winner(long attempt, Map<Integer, List<byte[]>> blocks) {}

  /** What a reader reads: partitions of a range of map tasks. */
  private record Reading(List<Integer> partitions, int firstMap, int endMap, boolean mapRange) {}

  /**
   * @param moreMaps map tasks beyond those that the seed decides
   */
  SimulatedStage(
      SimulatedThreads time,
      Random random,
      SimulatedDriver driver,
      int shuffle,
      int moreMaps,
      TaskEnvironment tasks,
      PushConfig push,
      ReadConfig read,
      ByteBufAllocator allocator,
      ReadCheck.Servers servers) {
    this.time = time;
    this.random = random;
    this.driver = driver;
    this.shuffle = shuffle;
    this.tasks = tasks;
    this.push = push;
    this.windows = new PushWindows(push.frameBytes(), push.inFlightBytes(), 0);
    this.allocator = allocator;
    this.partitions = 8 + random.nextInt(20);
    this.sparse = random.nextInt(3) == 0;
    this.maxThinkMs = random.nextInt(4) == 0 ? MAX_SLOW_THINK_MS : MAX_THINK_MS;
    this.winners = new Winner[(sparse ? 14 : 6) + moreMaps + random.nextInt(5)];
    this.reads = new ReadCheck(time, random, driver, shuffle, tasks, read, allocator, servers);
  }

  int attempts() {
    return attempts;
  }

  /** Attempts that failed, because their server lost data or could not be reached. */
  int failedAttempts() {
    return failedAttempts;
  }

  int speculations() {
    return speculations;
  }

  /** Reads that failed, because blocks were missing. */
  int failedReads() {
    return failedReads;
  }

  /** Ends the stage soon: its driver has crashed. */
  void end() {
    ended = true;
  }

  void run() {
    driver.register(shuffle, partitions);
    boolean early = random.nextInt(3) == 0;
    VirtualTime.Signal earlyEnd = new VirtualTime.Signal();
    if (early) {
      SimulatedThreads.Task unused =
          time.start(
              "early reader",
              () -> {
                readEarly();
                earlyEnd.give();
              });
    }
    runMaps();
    if (early) {
      boolean unused = time.await(earlyEnd, time.nanoTime() + FOREVER_NANOS);
    }
    if (ended) {
      return;
    }
    readAll(readings());
    if (random.nextInt(3) == 0) {
      time.advance(TimeUnit.MILLISECONDS.toNanos(random.nextInt(15_000)));
      readAll(readings());
    }
  }

  /** Runs all map tasks, some at a time. */
  private void runMaps() {
    int[] next = new int[1];
    List<SimulatedThreads.Task> slots = new ArrayList<>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      slots.add(
          time.start(
              "map slot",
              () -> {
                while (next[0] < winners.length && !ended) {
                  int map = next[0]++;
                  winners[map] = runMap(map);
                }
              }));
    }
    for (SimulatedThreads.Task slot : slots) {
      boolean unused = time.await(slot.end(), time.nanoTime() + FOREVER_NANOS);
    }
  }

  /** Runs attempts of a map task until one succeeds. */
  private Winner runMap(int map) {
    for (int tries = 1; !ended; tries++) {
      assertThat(tries).as("attempts of map %s", map).isLessThan(MAX_TRIES);
      Winner winner;
      if (random.nextInt(6) == 0) {
        winner = speculate(map);
      } else {
        boolean loses = random.nextInt(6) == 0;
        winner = attempt(map, loses);
        winner = loses ? null : winner;
      }
      if (winner != null) {
        return winner;
      }
      time.advance(PAUSE_NANOS / (1 + random.nextInt(4)));
    }
    return null;
  }

  /** Runs two attempts at a time: the first one that succeeds wins, the other one is killed. */
  private Winner speculate(int map) {
    speculations++;
    Winner[] first = new Winner[1];
    int[] left = {2};
    VirtualTime.Signal decided = new VirtualTime.Signal();
    List<SimulatedThreads.Task> both = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      both.add(
          time.start(
              "speculative attempt",
              () -> {
                Winner one = attempt(map, false);
                left[0]--;
                if (one != null && first[0] == null) {
                  first[0] = one;
                }
                if (first[0] != null || left[0] == 0) {
                  decided.give();
                }
              }));
    }
    boolean unused = time.await(decided, time.nanoTime() + FOREVER_NANOS);
    boolean kill = random.nextInt(3) > 0;
    for (SimulatedThreads.Task one : both) {
      if (!one.end().isGiven() && kill) {
        one.interrupt();
      }
      boolean unusedEnd = time.await(one.end(), time.nanoTime() + FOREVER_NANOS);
    }
    return first[0];
  }

  /**
   * Runs one attempt.
   *
   * @param loses whether the engine does not commit it: it may end at any point
   * @return null if it failed
   */
  private Winner attempt(int map, boolean loses) {
    long attempt = attempts++;
    Map<Integer, List<byte[]>> blocks = new HashMap<>();
    try (FramedPushSession out =
        FramedPushSession.toServers(
            driver.newest(shuffle),
            new MapAttempt(attempt, map),
            new PushOptions(null, driver::replace, null),
            push,
            tasks,
            windows,
            allocator,
            (counters, failure) -> {})) {
      int passes = 1 + random.nextInt(2);
      for (int pass = 0; pass < passes; pass++) {
        if (pass == passes - 1 && random.nextBoolean()) {
          out.beginFinalPass();
        }
        for (int partition = 0; partition < partitions; partition++) {
          int count = sparse && random.nextInt(SPARSE) > 0 ? 0 : random.nextInt(3);
          for (int i = count; i > 0; i--) {
            byte[] block = new byte[1 + random.nextInt(random.nextInt(8) == 0 ? 9_000 : 500)];
            random.nextBytes(block);
            out.add(partition, block, 0, block.length, 1);
            blocks.computeIfAbsent(partition, unused -> new ArrayList<>()).add(block);
          }
          if (random.nextInt(8) == 0) {
            time.advance(TimeUnit.MILLISECONDS.toNanos(random.nextInt(maxThinkMs)));
          }
        }
        if (ended || (loses && random.nextBoolean())) {
          return null;
        }
      }
      out.finish();
      return new Winner(attempt, blocks);
    } catch (PushFailedException e) {
      failedAttempts++;
      if (e.code() == StatusCode.NO_SERVERS) {
        lowerQuorum(e);
      }
      return null;
    } catch (InterruptedIOException e) {
      // Killed. The carrier of this thread is used again.
      boolean unused = Thread.interrupted();
      return null;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Replacements have left too few servers for the quorum of some partitions, and tasks have no
   * local output: an operator lowers the quorum, as the message advises.
   */
  private void lowerQuorum(PushFailedException cause) {
    ShuffleAssignment newest = driver.newest(shuffle);
    boolean tooFew =
        IntStream.range(0, partitions)
            .anyMatch(
                partition -> Set.copyOf(newest.serversOf(partition)).size() < push.writeQuorum());
    assertThat(tooFew || push.writeQuorum() == 1)
        .as("too few servers for a quorum in %s, but: %s", newest, cause)
        .isTrue();
    push =
        new PushConfig(
            push.frameBytes(),
            push.inFlightBytes(),
            1,
            push.codec(),
            push.zstdLevel(),
            push.connectionRetry(),
            push.busyRetry());
  }

  /** Reads the map tasks that are committed so far, while the others run. */
  private void readEarly() {
    while (!ended && Arrays.stream(winners).allMatch(one -> one == null)) {
      time.advance(TimeUnit.MILLISECONDS.toNanos(50));
    }
    List<Integer> all = new ArrayList<>();
    for (int partition = 0; partition < partitions; partition++) {
      all.add(partition);
    }
    if (!ended) {
      read(new Reading(all, 0, winners.length, false));
    }
  }

  /** The readers of all partitions: each one has some partitions, or a part of the map tasks. */
  private List<Reading> readings() {
    List<Reading> all = new ArrayList<>();
    int first = 0;
    while (first < partitions) {
      int end = first + 1 + random.nextInt(partitions - first);
      List<Integer> some = new ArrayList<>();
      for (int partition = first; partition < end; partition++) {
        some.add(partition);
      }
      if (random.nextInt(4) == 0) {
        int middle = 1 + random.nextInt(winners.length - 1);
        all.add(new Reading(some, 0, middle, true));
        all.add(new Reading(some, middle, winners.length, true));
      } else {
        all.add(new Reading(some, 0, winners.length, false));
      }
      first = end;
    }
    return all;
  }

  /** Runs all readers side by side, until each has read everything. */
  private void readAll(List<Reading> wanted) {
    List<Reading> left = wanted;
    for (int tries = 1; !left.isEmpty() && !ended; tries++) {
      assertThat(tries).as("tries of reads").isLessThan(MAX_TRIES);
      List<Reading> failed = new ArrayList<>();
      Set<Integer> lost = new TreeSet<>();
      List<SimulatedThreads.Task> readers = new ArrayList<>();
      for (Reading one : left) {
        readers.add(
            time.start(
                "reader",
                () -> {
                  BlocksMissingException e = read(one);
                  if (e != null) {
                    failed.add(one);
                    e.missing().stream().map(MissingBlocks::mapIndex).forEach(lost::add);
                  }
                }));
      }
      for (SimulatedThreads.Task reader : readers) {
        boolean unused = time.await(reader.end(), time.nanoTime() + FOREVER_NANOS);
      }
      failedReads += failed.size();
      if (!lost.isEmpty()) {
        time.advance(PAUSE_NANOS);
      }
      for (int map : lost) {
        Winner again = runMap(map);
        if (again != null) {
          winners[map] = again;
        }
      }
      left = failed;
    }
  }

  private BlocksMissingException read(Reading reading) {
    Map<Integer, Winner> wanted = new HashMap<>();
    for (int map = reading.firstMap(); map < reading.endMap(); map++) {
      if (winners[map] != null) {
        wanted.put(map, winners[map]);
      }
    }
    int endMap = reading.mapRange() ? reading.endMap() : Integer.MAX_VALUE;
    return reads.read(reading.partitions(), wanted, reading.firstMap(), endMap);
  }
}
