package io.sluice.spark.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spark.local.ReadingStages.Stage;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadingStagesTest {
  private final ReadingStages stages = new ReadingStages();

  @Test
  void aShuffleIsActiveUntilTheStageThatReadsItHasEnded() {
    stages.jobStarted(
        1,
        List.of(
            new Stage(10, 7, List.of()),
            new Stage(11, 8, List.of(10)),
            new Stage(12, null, List.of(11))));
    stages.stageCompleted(10);
    assertThat(stages.isActive(7)).isTrue();

    stages.stageCompleted(11);
    assertThat(stages.isActive(7)).isFalse();
    assertThat(stages.isActive(8)).isTrue();

    stages.stageCompleted(12);
    assertThat(stages.isActive(8)).isFalse();
  }

  @Test
  void aShuffleThatWasOnlyWrittenIsActiveBetweenJobs() {
    // As with adaptive execution: each stage of a query is a separate job.
    stages.jobStarted(1, List.of(new Stage(10, 7, List.of())));
    stages.stageCompleted(10);
    stages.jobEnded(1);
    assertThat(stages.isActive(7)).isTrue();

    stages.jobStarted(2, List.of(new Stage(20, 7, List.of()), new Stage(21, null, List.of(20))));
    assertThat(stages.isActive(7)).isTrue();
    stages.stageCompleted(21);
    stages.jobEnded(2);
    assertThat(stages.isActive(7)).isFalse();
  }

  @Test
  void aShuffleIsActiveAgainForALaterJobAndForTheSecondOfTwoReaders() {
    stages.jobStarted(
        1,
        List.of(
            new Stage(10, 7, List.of()),
            new Stage(11, 8, List.of(10)),
            new Stage(12, null, List.of(10, 11))));
    stages.stageCompleted(10);
    stages.stageCompleted(11);
    assertThat(stages.isActive(7)).isTrue();
    stages.stageCompleted(12);
    stages.jobEnded(1);
    assertThat(stages.isActive(7)).isFalse();

    stages.jobStarted(2, List.of(new Stage(20, 7, List.of()), new Stage(21, null, List.of(20))));
    assertThat(stages.isActive(7)).isTrue();
  }

  @Test
  void skippedAndFailedReadersDoNotKeepAShuffleActive() {
    stages.jobStarted(
        1,
        List.of(
            new Stage(10, 7, List.of()),
            new Stage(11, null, List.of(10)),
            new Stage(12, null, List.of(10))));
    stages.stageCompleted(11);
    assertThat(stages.isActive(7)).isTrue();
    stages.jobEnded(1);
    assertThat(stages.isActive(7)).isFalse();
  }

  @Test
  void forgetsUnregisteredShuffles() {
    stages.jobStarted(1, List.of(new Stage(10, 7, List.of()), new Stage(11, null, List.of(10))));
    stages.stageCompleted(11);
    stages.jobEnded(1);
    stages.forget(7);

    // A reused id starts as a new shuffle.
    assertThat(stages.isActive(7)).isTrue();
  }
}
