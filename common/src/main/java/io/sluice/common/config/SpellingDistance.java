package io.sluice.common.config;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/**
 * Edit distance between two names, ignoring case: insert, delete, replace, or swap two neighbours
 * (restricted Damerau-Levenshtein distance).
 */
final class SpellingDistance {

  private SpellingDistance() {}

  static int between(String left, String right) {
    String a = left.toLowerCase(Locale.ROOT);
    String b = right.toLowerCase(Locale.ROOT);
    int[] beforeLast = new int[b.length() + 1];
    int[] last = new int[b.length() + 1];
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      last[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replace = last[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(replace, 1 + Math.min(last[j], row[j - 1]));
        boolean swapped =
            i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
        if (swapped) {
          row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
        }
      }
      int[] free = beforeLast;
      beforeLast = last;
      last = row;
      row = free;
    }
    return last[b.length()];
  }

  /**
   * The known name with the fewest edits; empty if there are more edits than a third of the length.
   */
  static Optional<String> nearest(String unknown, Collection<String> known) {
    String best = null;
    int fewest = Math.max(2, unknown.length() / 3) + 1;
    for (String candidate : known) {
      int edits = between(unknown, candidate);
      if (edits < fewest) {
        fewest = edits;
        best = candidate;
      }
    }
    return Optional.ofNullable(best);
  }
}
