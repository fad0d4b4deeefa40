package io.sluice.server.background;

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
    return Windows.cut(stretch.size(), from -> end(stretch, from, bounds));
  }

  private int end(List<MergeCandidate> stretch, int from, MergeBounds bounds) {
    WindowSum sum = new WindowSum(bounds);
    for (int at = from; at < stretch.size() && !stretch.get(at).merged(); at++) {
      if (sum.isFullFor(stretch.get(at))) {
        return sum.count() > 1 ? at : from;
      }
      sum.add(stretch.get(at));
      if (sum.count() == Math.min(fanIn, bounds.maxInputs())) {
        return at + 1;
      }
    }
    return from;
  }

  /** As in logs and tables. */
  @Override
  public String toString() {
    return "fan-in " + fanIn;
  }
}
