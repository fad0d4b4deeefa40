package org.apache.spark.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.TestAssignments;
import io.sluice.client.push.ApplicationAssignments;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.spark.SluiceShuffleStatus;
import io.sluice.spark.TrackedShuffle;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.util.Optional;
import org.apache.spark.MapOutputTrackerMaster;
import org.apache.spark.ShuffleStatus;
import org.apache.spark.SparkConf;
import org.apache.spark.broadcast.BroadcastManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RssShuffleHandleTest {
  private static final int SHUFFLE = 7;
  private static final int MAPS = 2;
  private static final int PARTITIONS = 20;
  private static final ShuffleAssignment ASSIGNMENT = TestAssignments.of(SHUFFLE, 2, 1);

  private final SparkConf conf = new SparkConf(false);
  private final MapOutputTrackerMaster tracker =
      new MapOutputTrackerMaster(conf, new BroadcastManager(true, conf), true);
  private final ApplicationAssignments assignments =
      new ApplicationAssignments(
          (shuffle, partitions, excluded, zone) -> Optional.empty(), 0, () -> 0);
  private final TrackedShuffle shuffle =
      new TrackedShuffle(SHUFFLE, MAPS, PARTITIONS, assignments, tracker);
  private final RssShuffleHandle<Integer, Integer, Integer> handle =
      new RssShuffleHandle<>(
          SHUFFLE, null, ASSIGNMENT, null, shuffle, new ApplicationCredentials());

  @BeforeEach
  void register() {
    assignments.register(ASSIGNMENT);
    shuffle.begin();
  }

  private ShuffleStatus status() {
    return tracker.shuffleStatuses().get(SHUFFLE).get();
  }

  /** Calls of Spark's context cleaner, and of its scheduler for a stage that recomputes it. */
  private void removeAndRegisterAgain() {
    assignments.forget(SHUFFLE);
    tracker.unregisterShuffle(SHUFFLE);
    tracker.registerShuffle(SHUFFLE, MAPS, PARTITIONS);
  }

  private RssShuffleHandle<?, ?, ?> inTask() throws IOException, ClassNotFoundException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(handle);
    }
    try (ObjectInputStream in =
        new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
      return (RssShuffleHandle<?, ?, ?>) in.readObject();
    }
  }

  @Test
  void isUnchangedWhileItsStagesRun() throws Exception {
    ShuffleStatus first = status();

    assertThat(inTask().isRemoved()).isFalse();

    assertThat(status()).isSameAs(first).isInstanceOf(SluiceShuffleStatus.class);
  }

  @Test
  void isTrackedAgainBeforeAStageThatRecomputesIt() throws Exception {
    removeAndRegisterAgain();
    assertThat(status()).isNotInstanceOf(SluiceShuffleStatus.class);

    assertThat(inTask().isRemoved()).isTrue();

    assertThat(status()).isInstanceOf(SluiceShuffleStatus.class);
    assertThat(tracker.findMissingPartitions(SHUFFLE).get().size()).isEqualTo(MAPS);
  }

  @Test
  void isNotTrackedAfterItWasRemoved() throws Exception {
    assignments.forget(SHUFFLE);
    tracker.unregisterShuffle(SHUFFLE);

    inTask();

    assertThat(tracker.containsShuffle(SHUFFLE)).isFalse();
  }
}
