package io.sluice.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BarrierStagesTest {
  private final List<Long> killed = new ArrayList<>();
  private final BarrierStages stages = new BarrierStages(killed::add);

  private void start(int stage, int attempt, long... tasks) {
    for (long task : tasks) {
      stages.started(stage, attempt, task);
    }
  }

  @Test
  void killsTheOtherTasksOfABarrierStageAfterAFetchFailure() {
    stages.submitted(14, 0);
    start(14, 0, 131, 132, 133);
    start(13, 0, 130);
    stages.ended(14, 0, 131, false);
    assertThat(killed).isEmpty();

    stages.ended(14, 0, 132, true);

    assertThat(killed).containsExactly(133L);
  }

  @Test
  void killsEachTaskOnce() {
    stages.submitted(14, 0);
    start(14, 0, 131, 132, 133);
    stages.ended(14, 0, 131, true);
    stages.ended(14, 0, 132, true);
    stages.ended(14, 0, 133, false);

    assertThat(killed).containsExactly(132L, 133L);
  }

  @Test
  void doesNotKillTasksOfTheNextAttemptOrOfOtherStages() {
    stages.submitted(14, 0);
    start(14, 0, 131, 132);
    stages.submitted(14, 1);
    start(14, 1, 141, 142);
    start(15, 0, 151, 152);

    stages.ended(15, 0, 151, true);
    stages.ended(14, 0, 131, true);

    assertThat(killed).containsExactly(132L);
  }

  @Test
  void forgetsAStageThatHasEnded() {
    stages.submitted(14, 0);
    start(14, 0, 131, 132);
    stages.completed(14, 0);

    stages.ended(14, 0, 131, true);

    assertThat(killed).isEmpty();
  }
}
