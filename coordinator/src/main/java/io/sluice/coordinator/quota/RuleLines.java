package io.sluice.coordinator.quota;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Reads the lines of the operator's files: what follows a {@code #} is a remark. */
final class RuleLines {
  /** A user or a group. Not longer than what a driver may claim. */
  private static final Pattern NAME = Pattern.compile("[^\\s#=,:\\p{Cc}]{1,256}");

  private static final Pattern SPACES = Pattern.compile("\\s+");

  /**
   * A line with something on it.
   *
   * @param number from 1
   * @param words at least one
   */
  record Line(int number, List<String> words) {
    /** What is wrong with this line, to be thrown. */
    IllegalArgumentException problem(String what) {
      return new IllegalArgumentException(
          "line " + number + " \"" + String.join(" ", words) + "\": " + what);
    }

    String name(String word) {
      if (!NAME.matcher(word).matches()) {
        throw problem("expected the name of a user or a group, found \"" + word + "\"");
      }
      return word;
    }
  }

  private RuleLines() {}

  static List<Line> of(String text) {
    List<Line> lines = new ArrayList<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      int remark = line.indexOf('#');
      String said = (remark < 0 ? line : line.substring(0, remark)).strip();
      if (!said.isEmpty()) {
        lines.add(new Line(number, List.of(SPACES.split(said))));
      }
    }
    return lines;
  }
}
