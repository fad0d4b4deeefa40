package io.sluice.server.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MergePolicyTest {
  private static final MergeBounds WIDE = new MergeBounds(1_000, 1L << 40, 1L << 40);

  @Test
  void fanInWaitsForItsNumberOfRuns() {
    FanInPolicy policy = new FanInPolicy(5);
    assertThat(policy.windows(same(4, 100, 10), WIDE)).isEmpty();
    assertThat(policy.windows(same(5, 100, 10), WIDE)).containsExactly(new MergeWindow(0, 5));
    assertThat(policy.windows(same(12, 100, 10), WIDE))
        .containsExactly(new MergeWindow(0, 5), new MergeWindow(5, 10));
  }

  @Test
  void fanInMergesEachRunOnce() {
    List<MergeCandidate> runs = new ArrayList<>(same(3, 100, 10));
    runs.add(new MergeCandidate(500, 10, true));
    runs.addAll(same(4, 100, 10));
    assertThat(new FanInPolicy(4).windows(runs, WIDE)).containsExactly(new MergeWindow(4, 8));
  }

  @Test
  void fanInMergesFewerRunsAtTheBounds() {
    FanInPolicy policy = new FanInPolicy(40);
    List<MergeCandidate> runs = same(40, 100, 10);
    assertThat(policy.windows(runs, new MergeBounds(10, 1 << 20, 1 << 20))).hasSize(4);
    assertThat(policy.windows(runs, new MergeBounds(1_000, 2_000, 1 << 20)))
        .containsExactly(new MergeWindow(0, 20));
    assertThat(policy.windows(runs, new MergeBounds(1_000, 1 << 20, 155)))
        .containsExactly(new MergeWindow(0, 15), new MergeWindow(15, 30));
  }

  @Test
  void blockSizeMergesNeighboursUpToTheTarget() {
    BlockSizePolicy policy = new BlockSizePolicy(100);
    assertThat(policy.windows(same(9, 100, 10), WIDE)).isEmpty();
    assertThat(policy.windows(same(25, 100, 10), WIDE))
        .containsExactly(new MergeWindow(0, 10), new MergeWindow(10, 20));
    assertThat(policy.windows(same(8, 1_000, 10), WIDE)).isEmpty();
  }

  @Test
  void blockSizeLeavesLargeExtentsAlone() {
    List<MergeCandidate> runs = new ArrayList<>(same(2, 600, 10));
    runs.add(new MergeCandidate(5_000, 10, false));
    runs.addAll(same(2, 500, 10));
    assertThat(new BlockSizePolicy(100).windows(runs, WIDE))
        .containsExactly(new MergeWindow(0, 2), new MergeWindow(3, 5));
  }

  @Test
  void blockSizeDoesNotWriteALargeRunAgainForASmallOne() {
    BlockSizePolicy policy = new BlockSizePolicy(1_000);
    List<MergeCandidate> runs = new ArrayList<>();
    runs.add(new MergeCandidate(9_000, 10, true));
    runs.addAll(same(8, 1_000, 10));
    assertThat(policy.windows(runs, WIDE)).isEmpty();
    runs.add(new MergeCandidate(1_000, 10, false));
    assertThat(policy.windows(runs, WIDE)).containsExactly(new MergeWindow(0, 10));
  }

  @Test
  void blockSizeMergesAgainAfterAMergeLimitedByMemory() {
    MergeBounds four = new MergeBounds(4, 1L << 40, 1L << 40);
    assertThat(simulate(new BlockSizePolicy(160), same(64, 100, 10), four).runs)
        .isEqualTo(Collections.nCopies(4, new MergeCandidate(1_600, 10, true)));
  }

  @Test
  void windowsAndRewritesAreBounded() {
    SplittableRandom random = new SplittableRandom(31);
    for (int round = 0; round < 300; round++) {
      MergeBounds bounds =
          new MergeBounds(
              2 + random.nextInt(20), 1 + random.nextInt(200_000), 2 + random.nextInt(2_000));
      MergePolicy policy =
          random.nextBoolean()
              ? new FanInPolicy(2 + random.nextInt(20))
              : new BlockSizePolicy(1 + random.nextInt(2_000));
      List<MergeCandidate> runs = new ArrayList<>();
      long bytes = 0;
      int count = random.nextInt(100);
      for (int i = 0; i < count; i++) {
        int extents = 1 + random.nextInt(100);
        long size = extents * (1L + random.nextInt(300));
        runs.add(new MergeCandidate(size, extents, false));
        bytes += size;
      }
      Simulation end = simulate(policy, runs, bounds);
      assertThat(end.runs.stream().mapToLong(MergeCandidate::bytes).sum()).isEqualTo(bytes);
      // Each rewrite of a byte at least doubles its run.
      assertThat(end.written).isLessThanOrEqualTo(bytes * 18);
    }
  }

  @Test
  void refusesInvalidMerges() {
    assertThatThrownBy(() -> new FanInPolicy(1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new BlockSizePolicy(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new MergeBounds(1, 1, 2)).isInstanceOf(IllegalArgumentException.class);
  }

  private static List<MergeCandidate> same(int count, long bytes, int extents) {
    return Collections.nCopies(count, new MergeCandidate(bytes, extents, false));
  }

  private record Simulation(List<MergeCandidate> runs, long written) {}

  /** Executes the merge with the highest gain until the policy selects none. */
  private static Simulation simulate(
      MergePolicy policy, List<MergeCandidate> start, MergeBounds bounds) {
    List<MergeCandidate> runs = new ArrayList<>(start);
    long written = 0;
    List<MergeWindow> windows = policy.windows(runs, bounds);
    while (!windows.isEmpty()) {
      MergeWindow window =
          Collections.max(windows, Comparator.comparingDouble(each -> each.gain(runs)));
      List<MergeCandidate> taken = runs.subList(window.from(), window.to());
      long bytes = taken.stream().mapToLong(MergeCandidate::bytes).sum();
      assertThat(window.count()).isBetween(2, bounds.maxInputs());
      assertThat(bytes).isLessThanOrEqualTo(bounds.maxBytes());
      assertThat(taken.stream().mapToLong(MergeCandidate::extents).sum())
          .isLessThanOrEqualTo(bounds.maxExtents());
      int extents = taken.stream().mapToInt(MergeCandidate::extents).max().orElseThrow();
      taken.clear();
      runs.add(window.from(), new MergeCandidate(bytes, extents, true));
      written += bytes;
      windows = policy.windows(runs, bounds);
    }
    return new Simulation(runs, written);
  }
}
