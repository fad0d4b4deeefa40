package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.ShuffleMove;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MovesTest {
  private static ShuffleMove move(int shuffle, String from, String to) {
    return ShuffleMove.newBuilder()
        .setShuffle(ShuffleId.newBuilder().setApplication("app").setShuffle(shuffle))
        .setFrom(from)
        .setTo(ServerId.newBuilder().setName(to))
        .build();
  }

  @Test
  void aMoveIsPendingUntilItIsApplied() {
    ShuffleMove one = move(1, "a", "b");
    ShuffleMove other = move(2, "a", "b");
    Moves moves = Moves.NONE.with(List.of(one, other));
    assertThat(moves.pending(10)).containsExactly(one, other);
    assertThat(moves.pending(1)).containsExactly(one);

    Moves applied = moves.applied(List.of(one));

    assertThat(applied.pending(10)).containsExactly(other);
    assertThat(applied.isApplied(one)).isTrue();
    assertThat(applied.isApplied(other)).isFalse();
    assertThat(moves.isApplied(one)).as("immutable").isFalse();
    assertThat(applied.with(List.of(one)).isApplied(one)).as("reported again").isTrue();
    assertThat(applied.asPending().pending(10)).containsExactly(one, other);
  }

  @Test
  void aNewTargetReplacesTheFirst() {
    ShuffleMove first = move(1, "a", "b");
    ShuffleMove second = move(1, "a", "c");
    Moves moves = Moves.NONE.with(List.of(first)).applied(List.of(first)).with(List.of(second));

    assertThat(moves.size()).isEqualTo(1);
    assertThat(moves.contains(first)).isFalse();
    assertThat(moves.pending(10)).containsExactly(second);
    assertThat(moves.applied(List.of(first)).pending(10)).containsExactly(second);
  }

  @Test
  void movesAreBounded() {
    Moves moves =
        Moves.NONE.with(
            IntStream.range(0, Moves.MAX_MOVES + 5).mapToObj(i -> move(i, "a", "b")).toList());

    assertThat(moves.size()).isEqualTo(Moves.MAX_MOVES);
    assertThat(moves.contains(move(4, "a", "b"))).isFalse();
    assertThat(moves.contains(move(5, "a", "b"))).isTrue();
  }
}
