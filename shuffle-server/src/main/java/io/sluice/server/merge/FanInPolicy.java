package io.sluice.server.merge;

import java.util.ArrayList;
import java.util.List;

/**
 * Merges as soon as N runs have piled up, each run once. Fewer than N where more would not be
 * bounded.
 */
public record FanInPolicy(int fanIn) implements MergePolicy {
  public FanInPolicy {
    if (fanIn < 2) {
      throw new IllegalArgumentException("fan-in of " + fanIn + ", expected at least 2");
    }
  }

  @Override
  public List<MergeWindow> windows(List<MergeCandidate> stretch, MergeBounds bounds) {
    List<MergeWindow> windows = new ArrayList<>();
    WindowSum sum = new WindowSum(bounds);
    int from = 0;
    for (int at = 0; at < stretch.size(); at++) {
      MergeCandidate run = stretch.get(at);
      boolean full = sum.isFullFor(run);
      if (full && sum.count() > 1) {
        windows.add(new MergeWindow(from, at));
      }
      if (full || run.merged()) {
        from = at;
        sum = new WindowSum(bounds);
      }
      if (run.merged() || sum.isFullFor(run)) {
        from = at + 1;
        continue;
      }
      sum.add(run);
      if (sum.count() == fanIn) {
        windows.add(new MergeWindow(from, at + 1));
        from = at + 1;
        sum = new WindowSum(bounds);
      }
    }
    return windows;
  }

  @Override
  public String toString() {
    return "fan-in " + fanIn;
  }
}
