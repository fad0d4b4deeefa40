package io.sluice.client.push;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.TestAssignments;
import io.sluice.client.push.ReplacementServers.Cause;
import io.sluice.proto.ServerId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApplicationAssignmentsTest {
  private static final int LIMIT = 3;

  private final Coordinator coordinator = new Coordinator();
  private long nanos;
  private final ApplicationAssignments assignments =
      new ApplicationAssignments(coordinator, LIMIT, () -> nanos);

  /** Returns servers in order. */
  private static final class Coordinator implements ApplicationAssignments.Source {
    final Deque<ServerId> free = new ArrayDeque<>();
    final List<Set<String>> asked = new ArrayList<>();
    String zone;

    @Override
    public synchronized Optional<ServerId> replacementServer(
        int shuffle, int partitions, Collection<String> excluded, String zone) {
      asked.add(Set.copyOf(excluded));
      this.zone = zone;
      assertThat(partitions).isPositive();
      ServerId found =
          free.stream().filter(one -> !excluded.contains(one.getName())).findFirst().orElse(null);
      return Optional.ofNullable(found);
    }
  }

  private ShuffleAssignment failed(int shuffle, String server) {
    return assignments.replace(shuffle, server, Cause.FAILED, List.of());
  }

  private ShuffleAssignment full(int shuffle, String server, Integer... partitions) {
    return assignments.replace(shuffle, server, Cause.FULL, List.of(partitions));
  }

  private static String newestOf(ShuffleAssignment assignment, int partition) {
    return assignment.serversOf(partition).get(0).getName();
  }

  @Test
  void aFailedServerIsReplacedOnceForAllReports() {
    assignments.register(TestAssignments.of(1, 2, 1));
    coordinator.free.add(TestAssignments.server(7));

    ShuffleAssignment first = failed(1, "s0");
    ShuffleAssignment second = failed(1, "s0");

    assertThat(first.generation()).isEqualTo(1);
    assertThat(second).isSameAs(first).isSameAs(assignments.newest(1));
    assertThat(coordinator.asked).hasSize(1);
    assertThat(coordinator.zone).as("that of the failed server").isEqualTo("zone0");
    assertThat(newestOf(first, 3)).isEqualTo("s7");
    assertThat(newestOf(first, 13)).isEqualTo("s1");
    assertThat(assignments.replacementServers()).isEqualTo(1);
  }

  @Test
  void aLeavingServerIsReplacedByTheTargetOfItsMove() {
    assignments.register(TestAssignments.of(1, 2, 1));

    assertThat(assignments.moved(1, "s0", TestAssignments.server(7), false)).isTrue();
    ShuffleAssignment after = assignments.newest(1);

    assertThat(after.generation()).isEqualTo(1);
    assertThat(newestOf(after, 3)).isEqualTo("s7");
    assertThat(newestOf(after, 13)).isEqualTo("s1");
    assertThat(assignments.moved(1, "s0", TestAssignments.server(7), false)).isTrue();
    assertThat(assignments.newest(1)).as("after a second report of the move").isSameAs(after);
    assertThat(failed(1, "s0"))
        .as("after a failure report for the server that left")
        .isSameAs(after);
    assertThat(coordinator.asked).isEmpty();
  }

  @Test
  void aLostServerIsReplacedByTheServerThatServesItsRuns() {
    assignments.register(TestAssignments.of(1, 2, 1));

    assertThat(assignments.moved(1, "s0", TestAssignments.server(7), true)).isTrue();

    ShuffleAssignment after = assignments.newest(1);
    assertThat(newestOf(after, 3)).isEqualTo("s7");
    assertThat(after.hasReplaced("s0")).isTrue();
    assertThat(after.isLeaving("s0")).isFalse();
  }

  @Test
  void readersVisitTheMoveTargetOfAServerThatFailedBefore() {
    assignments.register(TestAssignments.of(1, 2, 1));
    coordinator.free.add(TestAssignments.server(5));
    failed(1, "s0");

    assertThat(assignments.moved(1, "s0", TestAssignments.server(7), false)).isTrue();
    ShuffleAssignment after = assignments.newest(1);

    assertThat(newestOf(after, 3)).as("server that gets pushes").isEqualTo("s5");
    assertThat(after.chainLength(0, 0)).isEqualTo(3);
    assertThat(after.servers().get(after.chainServer(0, 0, 1)).getName()).isEqualTo("s7");
  }

  @Test
  void ignoresAMoveOfAnUnknownShuffleOrServer() {
    assignments.register(TestAssignments.of(1, 2, 1));
    ShuffleAssignment before = assignments.newest(1);

    assertThat(assignments.moved(9, "s0", TestAssignments.server(7), false)).isTrue();
    assertThat(assignments.moved(1, "s9", TestAssignments.server(7), false)).isTrue();

    assertThat(assignments.newest(1)).isSameAs(before);
  }

  @Test
  void readersFindDataThatMovedTwiceInAnyOrderOfTheReports() {
    assignments.register(TestAssignments.of(1, 2, 1));

    // s1 moves to s7, which moves to s8; the report of the second move arrives first.
    assertThat(assignments.moved(1, "s7", TestAssignments.server(8), false)).isTrue();
    assertThat(assignments.moved(1, "s1", TestAssignments.server(7), false)).isTrue();

    assertThat(chain(assignments.newest(1), 13)).containsExactly("s1", "s7", "s8");
    assertThat(chain(assignments.newest(1), 3)).containsExactly("s0");
  }

  @Test
  void readersFindDataThatMovedToAServerThatTheLeavingOneHadReplaced() {
    assignments.register(TestAssignments.of(1, 3, 1));
    coordinator.free.add(TestAssignments.server(0));
    failed(1, "s1");

    assertThat(assignments.moved(1, "s0", TestAssignments.server(1), false)).isTrue();
    assertThat(assignments.moved(1, "s2", TestAssignments.server(0), false)).isTrue();

    assertThat(chain(assignments.newest(1), 23)).containsExactly("s2", "s1", "s0");
  }

  @Test
  void readersFindTheMoveTargetOfAReplacement() {
    assignments.register(TestAssignments.of(1, 3, 1));
    coordinator.free.add(TestAssignments.server(0));
    failed(1, "s1");
    assertThat(assignments.moved(1, "s0", TestAssignments.server(1), false)).isTrue();

    failed(1, "s2");

    assertThat(chain(assignments.newest(1), 23)).containsExactly("s2", "s1", "s0");
  }

  /** After each change, a chain with a leaving server has its target, too. */
  @Test
  void readersFindTheTargetsOfAllMovesAfterChangesInAnyOrder() {
    for (int seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      coordinator.free.clear();
      random.ints(3, 0, 7).forEach(free -> coordinator.free.add(TestAssignments.server(free)));
      assignments.register(TestAssignments.of(1, 3, 1));
      Map<String, Set<String>> moves = new HashMap<>();
      for (int step = 0; step < 12; step++) {
        int from = random.nextInt(7);
        int to = (from + 1 + random.nextInt(6)) % 7;
        switch (random.nextInt(4)) {
          case 0 -> failed(1, "s" + from);
          case 1 -> full(1, "s" + from, random.nextInt(30), random.nextInt(30));
          default -> {
            boolean lost = random.nextInt(4) == 0;
            assertThat(assignments.moved(1, "s" + from, TestAssignments.server(to), lost)).isTrue();
            moves.computeIfAbsent("s" + from, unused -> new HashSet<>()).add("s" + to);
          }
        }
        for (int partition = 0; partition < 30; partition++) {
          List<String> chain = chain(assignments.newest(1), partition);
          assertThat(chain).doesNotHaveDuplicates();
          for (String server : chain) {
            assertThat(chain)
                .as("seed %s step %s targets of %s", seed, step, server)
                .containsAll(moves.getOrDefault(server, Set.of()));
          }
        }
      }
    }
  }

  @Test
  void rejectsAMoveIfAssignmentsNeverChange() {
    ApplicationAssignments fixed = new ApplicationAssignments(coordinator, 0, () -> nanos);
    fixed.register(TestAssignments.of(1, 2, 1));

    assertThat(fixed.moved(1, "s0", TestAssignments.server(7), false)).isFalse();

    assertThat(fixed.newest(1).generation()).isZero();
  }

  @Test
  void onlyFullPartitionsGetAnAdditionalServer() {
    assignments.register(TestAssignments.of(1, 2, 1));
    coordinator.free.add(TestAssignments.server(7));

    ShuffleAssignment after = full(1, "s0", 3, 4);

    assertThat(newestOf(after, 3)).isEqualTo("s7");
    assertThat(newestOf(after, 4)).isEqualTo("s7");
    assertThat(newestOf(after, 5)).isEqualTo("s0");
    assertThat(full(1, "s0", 3)).isSameAs(after);
    assertThat(full(1, "s0", 13)).as("s1 has the partition already").isSameAs(after);
    assertThat(coordinator.asked).hasSize(1);
  }

  @Test
  void excludesFailedServersAndThoseWithThePartitions() {
    assignments.register(TestAssignments.of(1, 3, 2));
    assignments.register(TestAssignments.of(2, 3, 1));
    assignments.register(TestAssignments.of(3, 3, 1));
    failed(3, "s2");

    failed(1, "s0");

    // s0 shares one range with s1 and one with s2.
    assertThat(coordinator.asked.get(1)).containsExactlyInAnyOrder("s0", "s1", "s2");
    assertThat(coordinator.asked.get(2)).as("second choice").containsExactlyInAnyOrder("s0", "s2");
    nanos += TimeUnit.MINUTES.toNanos(2);
    failed(2, "s0");
    assertThat(coordinator.asked.get(3)).as("s2 failed long ago").containsExactly("s0");
  }

  @Test
  void usesAServerWithSomeOfThePartitionsAsASecondChoice() {
    assignments.register(TestAssignments.of(1, 3, 2));

    failed(1, "s0");
    ShuffleAssignment after = failed(1, "s1");

    for (int partition = 0; partition < after.partitionCount(); partition++) {
      assertThat(after.serversOf(partition))
          .extracting(ServerId::getName)
          .as("partition %s", partition)
          .containsOnly("s2");
    }
  }

  @Test
  void usesARecentlyFailedServerAsTheLastChoice() {
    assignments.register(TestAssignments.of(1, 2, 1));
    assignments.register(TestAssignments.of(2, 2, 1));
    failed(1, "s1");

    ShuffleAssignment after = failed(2, "s0");

    assertThat(newestOf(after, 0)).isEqualTo("s1");
  }

  @Test
  void usesAServerOfTheShuffleWithoutACoordinator() {
    assignments.register(TestAssignments.of(1, 3, 1));

    ShuffleAssignment one = failed(1, "s0");
    ShuffleAssignment two = failed(1, "s1");
    ShuffleAssignment three = failed(1, "s2");

    assertThat(newestOf(one, 0)).isIn("s1", "s2");
    assertThat(newestOf(two, 0)).isEqualTo("s2");
    assertThat(newestOf(two, 10)).isEqualTo("s2");
    assertThat(three).as("no other server is available").isSameAs(two);
    assertThat(assignments.replacementServers()).isZero();
  }

  @Test
  void addsNoMoreServersThanTheLimit() {
    assignments.register(TestAssignments.of(1, 1, 1));
    for (int i = 10; i < 20; i++) {
      coordinator.free.add(TestAssignments.server(i));
    }
    String server = "s0";
    for (int i = 0; i < LIMIT; i++) {
      ShuffleAssignment after = failed(1, server);
      assertThat(after.generation()).isEqualTo(i + 1);
      server = newestOf(after, 0);
    }

    ShuffleAssignment last = assignments.newest(1);
    assertThat(failed(1, server)).isSameAs(last);
    assertThat(coordinator.asked).hasSize(LIMIT);
  }

  @Test
  void doesNotRepeatAFailedSearchAtOnce() {
    assignments.register(TestAssignments.of(1, 1, 1));

    failed(1, "s0");
    failed(1, "s0");
    assertThat(coordinator.asked).hasSize(1);

    coordinator.free.add(TestAssignments.server(5));
    nanos += TimeUnit.SECONDS.toNanos(11);
    assertThat(failed(1, "s0").generation()).isEqualTo(1);
  }

  @Test
  void ignoresUnknownShufflesAndServers() {
    ShuffleAssignment first = TestAssignments.of(1, 2, 1);
    assignments.register(first);

    assertThat(failed(1, "s9")).isSameAs(first);
    assertThat(full(1, "s9", 1)).isSameAs(first);
    assignments.forget(1);
    assertThat(failed(1, "s0")).isNull();
    assertThat(assignments.newest(1)).isNull();
    assertThat(coordinator.asked).isEmpty();
  }

  @Test
  void partitionsAreOnlyAtServersThatHaveAllTheirCopies() {
    assignments.register(TestAssignments.of(1, 3, 1));
    assignments.register(TestAssignments.of(2, 3, 2));

    assertThat(assignments.partitionsOnlyAt(1, List.of("s1"))).hasSize(10).startsWith(10);
    assertThat(assignments.partitionsOnlyAt(1, List.of("s1", "s0", "s9"))).hasSize(20);
    assertThat(assignments.partitionsOnlyAt(2, List.of("s1"))).isEmpty();
    assertThat(assignments.partitionsOnlyAt(2, List.of("s1", "s2"))).hasSize(10).startsWith(10);
    assertThat(assignments.partitionsOnlyAt(3, List.of("s1"))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void concurrentReportsProduceOneHistory(long seed) throws Exception {
    ShuffleAssignment first = TestAssignments.of(1, 4, 1);
    assignments.register(first);
    for (int i = 10; i < 10 + LIMIT; i++) {
      coordinator.free.add(TestAssignments.server(i));
    }
    int threads = 4;
    ExecutorService tasks = Executors.newFixedThreadPool(threads);
    CountDownLatch go = new CountDownLatch(1);
    List<Future<List<ShuffleAssignment>>> running = new ArrayList<>();
    for (int thread = 0; thread < threads; thread++) {
      SplittableRandom random = new SplittableRandom(seed * 100 + thread);
      Callable<List<ShuffleAssignment>> task =
          () -> {
            List<ShuffleAssignment> seen = new ArrayList<>();
            go.await();
            for (int i = 0; i < 50; i++) {
              ShuffleAssignment now = assignments.newest(1);
              int partition = random.nextInt(40);
              seen.add(
                  random.nextInt(10) == 0
                      ? failed(1, "s" + random.nextInt(4))
                      : full(1, newestOf(now, partition), partition));
            }
            return seen;
          };
      running.add(tasks.submit(task));
    }
    go.countDown();
    List<ShuffleAssignment> seen = new ArrayList<>();
    for (Future<List<ShuffleAssignment>> one : running) {
      seen.addAll(one.get(60, TimeUnit.SECONDS));
    }
    tasks.shutdown();

    ShuffleAssignment last = assignments.newest(1);
    for (ShuffleAssignment one : seen) {
      assertThat(one.generation()).isLessThanOrEqualTo(last.generation());
      // The chains of the last assignment contain the servers of all earlier ones.
      for (int partition = 0; partition < 40; partition++) {
        assertThat(chain(last, partition)).containsAll(chain(one, partition));
      }
    }
    assertThat(assignments.replacementServers()).isLessThanOrEqualTo(LIMIT);
    assertThat(last.generation()).isPositive();
  }

  private static List<String> chain(ShuffleAssignment assignment, int partition) {
    int range = assignment.rangeOf(partition);
    List<String> names = new ArrayList<>();
    for (int position = 0; position < assignment.chainLength(range, 0); position++) {
      names.add(assignment.servers().get(assignment.chainServer(range, 0, position)).getName());
    }
    return names;
  }
}
