package io.sluice.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.Success$;
import org.apache.spark.TaskEndReason;
import org.apache.spark.TaskResultLost$;
import org.apache.spark.resource.ResourceProfile;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.StageInfo;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import scala.Option;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;

/** Stage 10 writes shuffle 1, which uses servers; stage 20 writes shuffle 2, which does not. */
class UntrackedShufflesTest {
  private final List<Integer> atServers = new ArrayList<>(List.of(1));
  private final List<Integer> ended = new ArrayList<>();
  private final UntrackedShuffles listener = new UntrackedShuffles(() -> atServers, ended::add);

  @BeforeEach
  void submitStages() {
    submit(10, Option.apply(1));
    submit(20, Option.apply(2));
    submit(30, Option.empty());
  }

  @SuppressWarnings("unchecked") // It is empty.
  private static <T> Seq<T> none() {
    return (Seq<T>) (Seq<?>) Nil$.MODULE$;
  }

  private void submit(int stage, Option<Object> shuffle) {
    listener.onStageSubmitted(
        new SparkListenerStageSubmitted(
            new StageInfo(
                stage,
                0,
                "stage",
                4,
                none(),
                none(),
                "",
                null,
                none(),
                shuffle,
                ResourceProfile.DEFAULT_RESOURCE_PROFILE_ID(),
                false,
                0),
            null));
  }

  private void taskEnds(int stage, TaskEndReason reason) {
    listener.onTaskEnd(
        new SparkListenerTaskEnd(stage, 0, "ShuffleMapTask", reason, null, null, null));
  }

  @Test
  void outputAtServersIsNotTracked() {
    taskEnds(10, Success$.MODULE$);
    taskEnds(10, Success$.MODULE$);

    assertThat(ended).as("after every task: each one is tracked").containsExactly(1, 1);
  }

  @Test
  void filesOfTheBuiltInShuffleAreTracked() {
    taskEnds(20, Success$.MODULE$);
    taskEnds(30, Success$.MODULE$);

    assertThat(ended).isEmpty();
  }

  @Test
  void aFailedTaskWasNotTracked() {
    taskEnds(10, TaskResultLost$.MODULE$);

    assertThat(ended).isEmpty();
  }

  @Test
  void anEndedShuffleIsForgottenWhenTheNextStageStarts() {
    atServers.clear();
    submit(40, Option.apply(4));

    taskEnds(10, Success$.MODULE$);

    assertThat(ended).isEmpty();
  }
}
