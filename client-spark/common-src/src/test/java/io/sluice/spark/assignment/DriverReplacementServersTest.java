package io.sluice.spark.assignment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.TestAssignments;
import io.sluice.client.push.ReplacementServers.Cause;
import io.sluice.common.error.SluiceException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class DriverReplacementServersTest {
  private final ShuffleAssignment first = TestAssignments.of(1, 2, 1);
  private final ShuffleAssignment second = first.replaceFailed("s0", TestAssignments.server(7));
  private final KnownAssignments known = new KnownAssignments();
  private final Driver driver = new Driver();
  private final DriverReplacementServers servers = new DriverReplacementServers(driver, known);

  /** Answers when the test completes a future. */
  private static final class Driver implements DriverRequests {
    final List<AssignmentRequest> asked = new ArrayList<>();
    final List<CompletableFuture<byte[]>> answers = new ArrayList<>();

    @Override
    public CompletionStage<byte[]> ask(byte[] question) {
      try {
        asked.add(AssignmentRequest.fromBytes(question));
      } catch (SluiceException e) {
        throw new AssertionError(e);
      }
      answers.add(new CompletableFuture<>());
      return answers.get(answers.size() - 1);
    }
  }

  private CompletableFuture<ShuffleAssignment> failed(ShuffleAssignment known, String server) {
    return servers.replace(known, server, Cause.FAILED, List.of()).toCompletableFuture();
  }

  @Test
  void tasksWithTheSameFailureSendOneRequest() {
    CompletableFuture<ShuffleAssignment> one = failed(first, "s0");
    CompletableFuture<ShuffleAssignment> other = failed(first, "s0");
    assertThat(one).isNotDone();
    assertThat(driver.asked)
        .containsExactly(new AssignmentRequest(1, "s0", Cause.FAILED, List.of()));

    driver.answers.get(0).complete(second.toBytes());

    assertThat(one).isCompletedWithValue(second);
    assertThat(other).isCompletedWithValue(second);
    assertThat(known.newest(first)).isEqualTo(second);
  }

  @Test
  void aKnownReplacementIsNotRequestedAgain() {
    known.update(second);

    assertThat(failed(first, "s0")).isCompletedWithValue(second);
    assertThat(driver.asked).isEmpty();

    assertThat(failed(first, "s1")).isNotDone();
    assertThat(driver.asked).hasSize(1);
  }

  @Test
  void fullPartitionsThatMovedAreNotRequestedAgain() {
    ShuffleAssignment moved = first.replaceFull("s0", new int[] {3, 4}, TestAssignments.server(7));
    known.update(moved);

    assertThat(servers.replace(first, "s0", Cause.FULL, List.of(3, 4)).toCompletableFuture())
        .isCompletedWithValue(moved);
    assertThat(driver.asked).isEmpty();

    servers.replace(first, "s0", Cause.FULL, List.of(4, 5));
    assertThat(driver.asked)
        .containsExactly(new AssignmentRequest(1, "s0", Cause.FULL, List.of(4, 5)));
  }

  @Test
  void returnsTheKnownAssignmentWithoutAnAnswer() {
    CompletableFuture<ShuffleAssignment> unanswered = failed(first, "s0");
    driver
        .answers
        .get(0)
        .completeExceptionally(new IllegalStateException("driver does not answer"));
    assertThat(unanswered).isCompletedWithValue(first);

    CompletableFuture<ShuffleAssignment> unknown = failed(first, "s0");
    driver.answers.get(1).complete(new byte[0]);
    assertThat(unknown).isCompletedWithValue(first);

    CompletableFuture<ShuffleAssignment> nonsense = failed(first, "s0");
    driver.answers.get(2).complete(new byte[] {1, 2, 3});
    assertThat(nonsense).isCompletedWithValue(first);
  }

  @Test
  void ignoresAnAnswerForAnotherShuffle() {
    CompletableFuture<ShuffleAssignment> asked = failed(first, "s0");

    driver
        .answers
        .get(0)
        .complete(
            TestAssignments.of(2, 2, 1).replaceFailed("s0", TestAssignments.server(7)).toBytes());

    assertThat(asked).isCompletedWithValue(first);
    assertThat(known.newest(first)).isSameAs(first);
  }

  @Test
  void theNewestOfAShuffleWinsUntilItIsForgotten() {
    ShuffleAssignment third = second.replaceFailed("s1", TestAssignments.server(8));
    known.update(third);
    known.update(second);
    assertThat(known.newest(first)).isSameAs(third);
    assertThat(known.newest(third.replaceFailed("s7", TestAssignments.server(9))).generation())
        .isEqualTo(3);

    known.forget(1);

    assertThat(known.newest(first)).isSameAs(first);
  }
}
