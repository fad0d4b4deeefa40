package io.sluice.client.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.proto.ServerId;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MovedAssignmentTest {
  private static List<String> chain(ShuffleAssignment of, int range, int replica) {
    return IntStream.range(0, of.chainLength(range, replica))
        .mapToObj(position -> of.servers().get(of.chainServer(range, replica, position)).getName())
        .toList();
  }

  @Test
  void addsTheTargetBehindTheLeavingServer() throws Exception {
    ShuffleAssignment before = TestAssignments.of(1, 2, 1);

    ShuffleAssignment moved = before.moved("s0", TestAssignments.server(5));

    assertThat(moved.generation()).isEqualTo(1);
    assertThat(chain(moved, 0, 0)).containsExactly("s0", "s5");
    assertThat(chain(moved, 1, 0)).containsExactly("s1");
    assertThat(moved.replacementOf("s0")).contains(TestAssignments.server(5));
    assertThat(moved.isLeaving("s0")).isTrue();
    assertThat(moved.moved("s0", TestAssignments.server(5))).isSameAs(moved);
    assertThat(ShuffleAssignment.fromBytes(moved.toBytes())).isEqualTo(moved);
    assertThat(chain(before, 0, 0)).containsExactly("s0");
  }

  @Test
  void addsASecondTargetForReadsOnly() {
    ShuffleAssignment moved =
        TestAssignments.of(1, 2, 1)
            .moved("s0", TestAssignments.server(5))
            .moved("s0", TestAssignments.server(6));

    assertThat(chain(moved, 0, 0)).containsExactly("s0", "s6", "s5");
    assertThat(moved.replacementOf("s0")).contains(TestAssignments.server(5));
  }

  @Test
  void aServerThatMapTasksGaveUpIsNotLeaving() throws Exception {
    ShuffleAssignment failed =
        TestAssignments.of(1, 2, 1).replaceFailed("s0", TestAssignments.server(1));
    ShuffleAssignment moved = failed.moved("s0", TestAssignments.server(5));

    assertThat(chain(moved, 0, 0)).containsExactly("s0", "s5", "s1");
    assertThat(moved.isLeaving("s0")).isFalse();
    assertThat(moved.isLeaving("s5")).isFalse();
    ShuffleAssignment read =
        ShuffleAssignment.fromBytes(moved.moved("s1", TestAssignments.server(6)).toBytes());
    assertThat(read.isLeaving("s0")).isFalse();
    assertThat(read.replacementOf("s0")).contains(TestAssignments.server(6));
    assertThat(read.isLeaving("s1")).isTrue();
  }

  @Test
  void aLostServerIsNotLeaving() throws Exception {
    ShuffleAssignment adopted =
        TestAssignments.of(1, 2, 1).adopted("s0", TestAssignments.server(5));

    assertThat(chain(adopted, 0, 0)).containsExactly("s0", "s5");
    assertThat(adopted.replacementOf("s0")).contains(TestAssignments.server(5));
    assertThat(adopted.isLeaving("s0")).isFalse();
    assertThat(adopted.adopted("s0", TestAssignments.server(5))).isSameAs(adopted);
    assertThat(ShuffleAssignment.fromBytes(adopted.toBytes())).isEqualTo(adopted);
  }

  @Test
  void aServerThatIsLostDuringItsMoveIsNoLongerLeaving() {
    ShuffleAssignment moved = TestAssignments.of(1, 2, 1).moved("s0", TestAssignments.server(5));

    for (int adopter : new int[] {5, 6}) {
      ShuffleAssignment adopted = moved.adopted("s0", TestAssignments.server(adopter));

      assertThat(adopted.generation()).isEqualTo(2);
      assertThat(chain(adopted, 0, 0)).contains("s" + adopter).endsWith("s5");
      assertThat(adopted.replacementOf("s0")).contains(TestAssignments.server(5));
      assertThat(adopted.isLeaving("s0")).isFalse();
      assertThat(adopted.adopted("s0", TestAssignments.server(adopter))).isSameAs(adopted);
    }
    assertThat(moved.isLeaving("s0")).isTrue();
  }

  @Test
  void theTargetMayLeaveToo() {
    ShuffleAssignment moved =
        TestAssignments.of(1, 2, 1)
            .moved("s0", TestAssignments.server(5))
            .moved("s5", TestAssignments.server(6));

    assertThat(chain(moved, 0, 0)).containsExactly("s0", "s5", "s6");
    assertThat(moved.replacementOf("s0")).contains(TestAssignments.server(6));
  }

  @Test
  void readsButDoesNotPushToATargetThatWasReplaced() throws Exception {
    ShuffleAssignment failed =
        TestAssignments.of(1, 2, 1).replaceFailed("s0", TestAssignments.server(1));

    ShuffleAssignment moved = failed.moved("s1", failed.servers().get(0));

    assertThat(chain(moved, 1, 0)).containsExactly("s0", "s1");
    assertThat(chain(moved, 0, 0)).containsExactly("s0", "s1");
    assertThat(moved.hasReplaced("s1")).isFalse();
    assertThat(moved.isLeaving("s1")).isTrue();
    assertThat(moved.moved("s1", failed.servers().get(0))).isSameAs(moved);
    assertThat(ShuffleAssignment.fromBytes(moved.toBytes())).isEqualTo(moved);

    ShuffleAssignment replaced = moved.replaceFailed("s1", TestAssignments.server(5));
    assertThat(replaced.isLeaving("s1")).isFalse();
    assertThat(chain(replaced, 1, 0)).containsExactly("s0", "s1", "s5");
  }

  @Test
  void rejectsAnInvalidMove() {
    ShuffleAssignment assignment = TestAssignments.of(1, 2, 1);
    assertThatThrownBy(() -> assignment.moved("s0", TestAssignments.server(0)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> assignment.moved("s9", TestAssignments.server(0)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () -> assignment.moved("s0", ServerId.newBuilder().setName("without host").build()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Random changes in random order never violate the invariants of assignments. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void readersFindTheTargetAndPushesGoToAServerThatWasNotReplaced(int replicas) {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      ShuffleAssignment now = TestAssignments.of(1, 3, replicas);
      for (int step = 0; step < 12; step++) {
        String from = now.servers().get(random.nextInt(now.servers().size())).getName();
        ServerId to = TestAssignments.server(random.nextInt(7));
        ShuffleAssignment next = change(now, from, to, random);
        if (next == null) {
          continue;
        }
        check(now, next, "seed " + seed + " step " + step);
        now = next;
      }
    }
  }

  private static ShuffleAssignment change(
      ShuffleAssignment now, String from, ServerId to, Random random) {
    if (to.getName().equals(from)) {
      return null;
    }
    int what = random.nextInt(4);
    if (what < 2) {
      boolean lost = random.nextBoolean();
      ShuffleAssignment moved = lost ? now.adopted(from, to) : now.moved(from, to);
      for (int range = 0; range < moved.rangeCount(); range++) {
        for (int replica = 0; replica < moved.replicaCount(range); replica++) {
          if (chain(moved, range, replica).contains(from)) {
            assertThat(chain(moved, range, replica)).contains(to.getName());
          }
        }
      }
      assertThat(lost ? moved.adopted(from, to) : moved.moved(from, to)).isSameAs(moved);
      assertThat(lost && moved.hasReplaced(from) && moved.isLeaving(from)).isFalse();
      return moved;
    }
    if (now.hasReplaced(to.getName())) {
      return null;
    }
    return what == 2
        ? now.replaceFailed(from, to)
        : now.replaceFull(from, random.ints(4, 0, 30).toArray(), to);
  }

  private static void check(ShuffleAssignment before, ShuffleAssignment after, String when) {
    for (int partition = 0; partition < after.partitionCount(); partition++) {
      int range = after.rangeOf(partition);
      for (int replica = 0; replica < after.replicaCount(range); replica++) {
        List<String> chain = chain(after, range, replica);
        Set<String> distinct = new HashSet<>(chain);
        assertThat(distinct).as(when).hasSize(chain.size());
        assertThat(chain).as(when).containsAll(chain(before, before.rangeOf(partition), replica));
        assertThat(after.hasReplaced(chain.get(chain.size() - 1))).as(when).isFalse();
        for (String one : chain) {
          if (after.hasReplaced(one)) {
            int direct = after.replacements().direct(after.indexOf(one));
            assertThat(chain).as(when).contains(after.servers().get(direct).getName());
          }
        }
      }
    }
    assertThat(Arrays.asList(after.servers().toArray()).subList(0, before.servers().size()))
        .as(when)
        .isEqualTo(before.servers());
  }
}
