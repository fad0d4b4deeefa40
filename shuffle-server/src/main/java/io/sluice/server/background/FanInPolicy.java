package io.sluice.server.background;

import java.util.List;

/** Merges every N runs, each run once; fewer than N if the bounds are reached. */
public record FanInPolicy(int fanIn) implements MergePolicy {
  public FanInPolicy {
    if (fanIn < 2) {
      throw new IllegalArgumentException("fan-in of " + fanIn + ", expected at least 2");
    }
  }

  @Override
  public List<MergeWindow> windows(List<MergeCandidate> sequence, MergeBounds bounds) {
    return Windows.cut(sequence.size(), from -> end(sequence, from, bounds));
  }

  private int end(List<MergeCandidate> sequence, int from, MergeBounds bounds) {
    WindowSum sum = new WindowSum(bounds);
    for (int at = from; at < sequence.size() && !sequence.get(at).merged(); at++) {
      if (sum.isFullFor(sequence.get(at))) {
        return sum.count() > 1 ? at : from;
      }
      sum.add(sequence.get(at));
      if (sum.count() == Math.min(fanIn, bounds.maxInputs())) {
        return at + 1;
      }
    }
    return from;
  }

  /** The text used in logs and tables. */
  @Override
  public String toString() {
    return "fan-in " + fanIn;
  }
}
