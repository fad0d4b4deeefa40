package io.sluice.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spark.RepeatedLosses.StageAttempt;
import java.util.List;
import org.junit.jupiter.api.Test;

class RepeatedLossesTest {
  private static final List<String> SERVERS = List.of("a", "b");

  private final RepeatedLosses losses = new RepeatedLosses();

  @Test
  void failuresOfOneStageAttemptAreOneLoss() {
    assertThat(losses.addFailure(1, SERVERS, new StageAttempt(4, 0), 10)).isEmpty();
    assertThat(losses.addFailure(1, SERVERS, new StageAttempt(4, 0), 10)).isEmpty();
  }

  @Test
  void theSameServersInALaterAttemptAreARepetition() {
    losses.addFailure(1, SERVERS, new StageAttempt(4, 0), 10);

    assertThat(losses.addFailure(1, SERVERS, new StageAttempt(4, 1), 15)).hasValue(10);
    assertThat(losses.addFailure(1, SERVERS, new StageAttempt(4, 1), 15)).isEmpty();
    assertThat(losses.addFailure(1, SERVERS, new StageAttempt(4, 2), 20)).hasValue(15);
  }

  @Test
  void aLateReportOfAnOldAttemptIsNoRepetition() {
    losses.addFailure(1, SERVERS, new StageAttempt(4, 1), 10);

    assertThat(losses.addFailure(1, SERVERS, new StageAttempt(4, 0), 15)).isEmpty();
  }

  @Test
  void aFailureOfAnotherStageIsARepetition() {
    losses.addFailure(1, SERVERS, new StageAttempt(4, 0), 10);

    assertThat(losses.addFailure(1, SERVERS, new StageAttempt(9, 0), 15)).hasValue(10);
  }

  @Test
  void otherServersAndOtherShufflesAreOtherLosses() {
    losses.addFailure(1, SERVERS, new StageAttempt(4, 0), 10);

    assertThat(losses.addFailure(1, List.of("a"), new StageAttempt(4, 1), 15)).isEmpty();
    assertThat(losses.addFailure(2, SERVERS, new StageAttempt(4, 1), 15)).isEmpty();
    losses.retain(List.of(2));
    assertThat(losses.addFailure(1, SERVERS, new StageAttempt(4, 2), 15)).isEmpty();
    assertThat(losses.addFailure(2, SERVERS, new StageAttempt(4, 2), 25)).hasValue(15);
  }
}
