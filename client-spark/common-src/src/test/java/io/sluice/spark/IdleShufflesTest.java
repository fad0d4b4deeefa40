package io.sluice.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.CleanupConfig;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Shuffles are idle after 60 s; garbage of 1,000 bytes is collected. Time is in seconds. */
class IdleShufflesTest {
  private static final CleanupConfig COLLECT = new CleanupConfig(60_000, 1_000, 0, 0);

  private final Set<Integer> assigned = new HashSet<>(Set.of(1, 2));

  /** Shuffles to which nothing refers; a collection removes them. */
  private final Set<Integer> garbage = new HashSet<>();

  /** Shuffles that running queries do not read again. */
  private final Set<Integer> consumed = new HashSet<>();

  private final List<Integer> expired = new ArrayList<>();
  private long now = TimeUnit.SECONDS.toNanos(100_000);
  private long pauseSeconds;
  private int collections;
  private IdleShuffles idle = idle(COLLECT);

  private IdleShuffles idle(CleanupConfig config) {
    return new IdleShuffles(
        config,
        () -> now,
        () -> assigned,
        query -> () -> Set.copyOf(consumed),
        this::collect,
        expired::add);
  }

  private void collect() {
    collections++;
    assigned.removeAll(garbage);
    pass(pauseSeconds);
  }

  private void pass(long seconds) {
    now += TimeUnit.SECONDS.toNanos(seconds);
  }

  /** A job whose stage 10 * shuffle writes a shuffle. */
  private void run(int job, String query, int shuffle, long bytes) {
    idle.jobStarted(job, query, Map.of(10 * shuffle, shuffle));
    idle.taskEnded(10 * shuffle, bytes);
    idle.jobEnded(job);
  }

  private int collectionsAfter(long seconds) {
    int before = collections;
    pass(seconds);
    idle.check();
    return collections - before;
  }

  @Test
  void collectsWhenIdleShufflesHaveEnoughBytes() {
    run(1, null, 1, 600);
    assertThat(collectionsAfter(60)).as("600 of 1,000 bytes").isZero();

    run(2, null, 2, 400);
    assertThat(collectionsAfter(59)).as("the second one is not idle yet").isZero();
    assertThat(collectionsAfter(1)).isEqualTo(1);
  }

  @Test
  void aShuffleIsUsedWhileAJobRunsThatCanReadIt() {
    run(1, null, 1, 2_000);
    // Its map stage is skipped.
    idle.jobStarted(2, null, Map.of(11, 1));
    assertThat(collectionsAfter(1_000)).isZero();

    idle.jobEnded(2);
    assertThat(collectionsAfter(59)).isZero();
    assertThat(collectionsAfter(1)).isEqualTo(1);
  }

  @Test
  void aShuffleIsUsedUntilItsQueryEnds() {
    run(1, "7", 1, 2_000);
    run(2, "8", 2, 100);
    assertThat(collectionsAfter(1_000)).isZero();

    idle.queryEnded("8");
    assertThat(collectionsAfter(60)).as("another query").isZero();
    idle.queryEnded("7");
    assertThat(collectionsAfter(59)).isZero();
    assertThat(collectionsAfter(1)).isEqualTo(1);
  }

  @Test
  void aLaterQueryUsesAShuffleWhileItsJobRuns() {
    run(1, "7", 1, 2_000);
    idle.queryEnded("7");
    idle.jobStarted(2, "8", Map.of(11, 1));
    assertThat(collectionsAfter(1_000)).isZero();

    idle.jobEnded(2);
    assertThat(collectionsAfter(60)).isEqualTo(1);
  }

  @Test
  void aShuffleThatSurvivesCountsAgainAfterTwiceItsIdleTime() {
    run(1, null, 1, 2_000);
    assertThat(collectionsAfter(60)).isEqualTo(1);
    assertThat(collectionsAfter(59)).as("119 s").isZero();
    assertThat(collectionsAfter(1)).as("120 s").isEqualTo(1);
    assertThat(collectionsAfter(119)).as("239 s").isZero();
    assertThat(collectionsAfter(1)).as("240 s").isEqualTo(1);
  }

  @Test
  void aRemovedShuffleDoesNotCount() {
    garbage.add(1);
    run(1, null, 1, 2_000);
    assertThat(collectionsAfter(60)).isEqualTo(1);
    assertThat(collectionsAfter(10_000)).isZero();
  }

  @Test
  void collectionsTakeAtMostATwentiethOfTheTime() {
    pauseSeconds = 10;
    run(1, null, 1, 2_000);
    assertThat(collectionsAfter(60)).isEqualTo(1);

    run(2, null, 2, 2_000);
    assertThat(collectionsAfter(189)).isZero();
    assertThat(collectionsAfter(1)).isEqualTo(1);
  }

  @Test
  void anIdleShuffleExpires() {
    idle = idle(new CleanupConfig(0, 0, 3_600_000, 0));
    run(1, null, 1, 2_000);
    pass(1_800);
    run(2, null, 2, 2_000);
    pass(1_800);
    idle.check();
    assertThat(expired).containsExactly(1);

    pass(1_800);
    idle.jobStarted(3, null, Map.of(20, 2));
    pass(3_600);
    idle.check();
    idle.jobEnded(3);
    idle.check();
    assertThat(expired).as("the second one is used").containsExactly(1);
    assertThat(collections).as("switched off").isZero();
  }

  /** The shuffles that are deleted a time later. */
  private List<Integer> expiredAfter(long seconds) {
    expired.clear();
    pass(seconds);
    idle.check();
    return expired;
  }

  /** A query that runs, and does not read shuffle 1 again. */
  private void runWithConsumedShuffle() {
    idle = idle(new CleanupConfig(0, 0, 0, 60_000));
    run(1, "7", 1, 2_000);
    idle.jobStarted(2, "7", Map.of(10, 1, 20, 2));
    consumed.add(1);
    assertThat(expiredAfter(1_000)).as("consumed since now").isEmpty();
  }

  @Test
  void aConsumedShuffleIsDeletedDuringItsQuery() {
    runWithConsumedShuffle();
    assertThat(expiredAfter(59)).isEmpty();
    assertThat(expiredAfter(1)).containsExactly(1);
    assertThat(expiredAfter(1_000)).isEmpty();
  }

  @Test
  void aConsumedShuffleIsDeletedAfterItsQuery() {
    runWithConsumedShuffle();
    idle.jobEnded(2);
    idle.queryEnded("7");
    consumed.clear();
    assertThat(expiredAfter(59)).isEmpty();
    assertThat(expiredAfter(1)).containsExactly(1);
  }

  @Test
  void aShuffleThatIsConsumedAtTheEndOfItsQueryIsDeleted() {
    idle = idle(new CleanupConfig(0, 0, 0, 60_000));
    run(1, "7", 1, 2_000);
    run(2, "7", 2, 2_000);
    consumed.add(1);
    idle.queryEnded("7");
    assertThat(expiredAfter(60)).containsExactly(1);
  }

  @Test
  void aConsumedShuffleStaysWhileAStageReadsItAgain() {
    runWithConsumedShuffle();
    idle.stageStarted(20, Set.of(10));
    assertThat(expiredAfter(1_000)).isEmpty();

    idle.stageEnded(20);
    assertThat(expiredAfter(1)).isEmpty();
    assertThat(expiredAfter(60)).containsExactly(1);
  }

  @Test
  void aShuffleThatThePlanReadsAgainStays() {
    runWithConsumedShuffle();
    consumed.clear();
    assertThat(expiredAfter(60)).isEmpty();
    consumed.add(1);
    assertThat(expiredAfter(60)).as("consumed again since now").isEmpty();
    assertThat(expiredAfter(60)).containsExactly(1);
  }

  @Test
  void aShuffleWithOtherRecordsInEachRunIsNeitherConsumedNorExpired() {
    idle = idle(new CleanupConfig(0, 0, 60_000, 60_000));
    idle.keep(1);
    run(1, "7", 1, 2_000);
    run(2, "7", 2, 2_000);
    consumed.addAll(Set.of(1, 2));
    idle.queryEnded("7");
    assertThat(expiredAfter(100_000)).containsExactly(2);
  }

  @Test
  void plansAreNotReadUnlessConsumedShufflesAreDeleted() {
    consumed.add(1);
    run(1, "7", 1, 500);
    idle.queryEnded("7");
    assertThat(expiredAfter(100_000)).isEmpty();
  }

  @Test
  void aShuffleWithTheBuiltInShuffleDoesNotCount() {
    run(1, null, 3, 2_000);
    assertThat(collectionsAfter(60)).isZero();
  }
}
