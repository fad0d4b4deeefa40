package io.sluice.server.background;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Which runs leave a disk that is too full: the biggest and coldest first, by the product of length
 * and time since the last use. One large file is moved rather than many small ones, and what is
 * being read stays. No clock, no files.
 */
final class DemotionPolicy {
  /**
   * A run that could go.
   *
   * @param idleNanos since it was last read, or written if it never was
   */
  record Candidate<R>(R run, long length, long idleNanos) {
    private double weight() {
      return (double) length * Math.max(1, idleNanos);
    }
  }

  private DemotionPolicy() {}

  /** The runs to move, in order, until at least so many bytes are gone. */
  static <R> List<R> choose(List<Candidate<R>> candidates, long bytes) {
    return choose(candidates, bytes, 0);
  }

  /**
   * As above, where shorter runs than {@code worthwhileBytes} go after all others: for a place that
   * does not take many small files well.
   */
  static <R> List<R> choose(List<Candidate<R>> candidates, long bytes, long worthwhileBytes) {
    List<Candidate<R>> sorted = new ArrayList<>(candidates);
    sorted.sort(
        Comparator.comparing((Candidate<R> each) -> each.length() < worthwhileBytes)
            .thenComparing(
                Comparator.comparingDouble((Candidate<R> each) -> each.weight()).reversed()));
    List<R> chosen = new ArrayList<>();
    long sum = 0;
    for (Candidate<R> each : sorted) {
      if (sum >= bytes) {
        break;
      }
      chosen.add(each.run());
      sum += each.length();
    }
    return chosen;
  }
}
