package io.sluice.coordinator.quota;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Splits rule files into lines and words; text after {@code #} is a comment. */
final class RuleLines {
  /** Name of a user or group; 256 characters is also the maximum in registrations of drivers. */
  private static final Pattern NAME = Pattern.compile("[^\\s#=,:\\p{Cc}]{1,256}");

  private static final Pattern SPACES = Pattern.compile("\\s+");

  /**
   * A line that is not empty.
   *
   * @param number line number, from 1
   * @param words words of the line, at least one
   */
  record Line(int number, List<String> words) {
    /** Returns an exception with the line and a description of the error. */
    IllegalArgumentException problem(String message) {
      return new IllegalArgumentException(
          "line " + number + " \"" + String.join(" ", words) + "\": " + message);
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
      int comment = line.indexOf('#');
      String content = (comment < 0 ? line : line.substring(0, comment)).strip();
      if (!content.isEmpty()) {
        lines.add(new Line(number, List.of(SPACES.split(content))));
      }
    }
    return lines;
  }
}
