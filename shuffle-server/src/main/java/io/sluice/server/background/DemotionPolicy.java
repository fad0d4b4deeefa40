package io.sluice.server.background;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Selects the runs to demote from a full disk: largest and coldest first, by the product of length
 * and time since the last use. Moves one large file rather than many small ones, and keeps runs
 * that are being read. Uses no clock and no files.
 */
final class DemotionPolicy {
  /**
   * A run that can be demoted.
   *
   * @param idleNanos time since the last read, or since the write if it was never read
   */
  record Candidate<R>(R run, long length, long idleNanos) {
    private double weight() {
      return (double) length * Math.max(1, idleNanos);
    }
  }

  private DemotionPolicy() {}

  /** The runs to move, in order, with a total length of at least {@code bytes}. */
  static <R> List<R> choose(List<Candidate<R>> candidates, long bytes) {
    return choose(candidates, bytes, 0);
  }

  /**
   * As above, but runs shorter than {@code preferredMinBytes} come last: for storage that handles
   * small files badly.
   */
  static <R> List<R> choose(List<Candidate<R>> candidates, long bytes, long preferredMinBytes) {
    List<Candidate<R>> sorted = new ArrayList<>(candidates);
    sorted.sort(
        Comparator.comparing((Candidate<R> each) -> each.length() < preferredMinBytes)
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
