package io.sluice.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spark.MissingMaps.Attempt;
import java.util.List;
import org.junit.jupiter.api.Test;

class MissingMapsTest {
  @Test
  void findsTheAttemptsWithinOtherText() {
    List<Attempt> attempts =
        List.of(new Attempt(0, 7), new Attempt(2_000_000, Long.MAX_VALUE), new Attempt(3, 9));

    String message =
        "x.FetchFailed: lost: " + MissingMaps.text(attempts) + "\n\tat y\nCaused by: z";

    assertThat(MissingMaps.in(message)).isEqualTo(attempts);
  }

  @Test
  void namesAnAttemptOnce() {
    assertThat(MissingMaps.text(List.of(new Attempt(1, 2), new Attempt(1, 2))))
        .isEqualTo("missing-maps[1:2]");
  }

  @Test
  void findsNothingInOtherMessages() {
    assertThat(MissingMaps.in("")).isEmpty();
    assertThat(MissingMaps.in("missing-maps[]")).isEmpty();
    assertThat(MissingMaps.in("missing-maps[1]")).isEmpty();
    assertThat(MissingMaps.in("missing-maps[1:2,:]")).isEmpty();
    assertThat(MissingMaps.in("missing-maps[99999999999:2]")).isEmpty();
  }

  @Test
  void findsTheNumberOfWrongReceipts() {
    String message =
        MissingMaps.text(List.of(new Attempt(1, 2))) + " " + MissingMaps.wrongReceipts(3) + "\n";

    assertThat(MissingMaps.wrongReceiptsIn(message)).isEqualTo(3);
    assertThat(MissingMaps.wrongReceiptsIn(MissingMaps.wrongReceipts(0))).isZero();
    assertThat(MissingMaps.wrongReceiptsIn("wrong-receipts[99999999999]")).isZero();
    assertThat(MissingMaps.wrongReceiptsIn("nothing of ours")).isZero();
  }

  @Test
  void findsTheServersInTheSameMessage() {
    String message =
        MissingMaps.text(List.of(new Attempt(1, 2)))
            + " "
            + MissingMaps.servers(List.of("a:1", "b:2", "a:1", "odd,name"), List.of("b:2"))
            + "\n\tat y";

    assertThat(MissingMaps.blamedServersIn(message)).containsExactly("a:1", "b:2");
    assertThat(MissingMaps.silentServersIn(message)).containsExactly("b:2");
    assertThat(MissingMaps.in(message)).containsExactly(new Attempt(1, 2));
    assertThat(MissingMaps.silentServersIn(MissingMaps.servers(List.of("a"), List.of()))).isEmpty();
    assertThat(MissingMaps.blamedServersIn("nothing of ours")).isEmpty();
  }
}
