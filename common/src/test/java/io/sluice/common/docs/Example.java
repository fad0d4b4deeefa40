package io.sluice.common.docs;

import java.util.List;
import java.util.Optional;

/**
 * A block of code in a page.
 *
 * @param page name of the page, from the root of the checkout
 * @param line number of the line with the opening fence, from 1
 * @param info text behind the opening fence: the language, then the mark
 * @param lines the code, without the indentation of the fence
 */
public record Example(String page, int line, String info, List<String> lines) {

  /** How a block of code is tested. */
  public enum Mark {
    /** A test executes it as written, or CI does. */
    RUN,
    /** Its paths, options, keys and names exist. */
    CHECK,
    /** It has only commands of the system or of Kubernetes. */
    SHOW,
    /** It is no example: a drawing, a layout, output. */
    TEXT
  }

  /** Empty if the info string is none that pages may have. */
  public Optional<Mark> mark() {
    String[] words = info.split(" ", -1);
    if (info.equals("text")) {
      return Optional.of(Mark.TEXT);
    }
    if (words.length != 2 || !words[0].matches("[a-z]+") || words[0].equals("text")) {
      return Optional.empty();
    }
    return switch (words[1]) {
      case "run" -> Optional.of(Mark.RUN);
      case "check" -> Optional.of(Mark.CHECK);
      case "show" -> Optional.of(Mark.SHOW);
      default -> Optional.empty();
    };
  }

  /** Such as {@code sh}. */
  public String language() {
    return info.split(" ", -1)[0];
  }

  public boolean isShell() {
    return language().equals("sh");
  }

  public String text() {
    return String.join("\n", lines) + "\n";
  }

  /** Where it is: page and line. */
  public String where() {
    return page + ":" + line;
  }

  @Override
  public String toString() {
    return where() + " " + (lines.isEmpty() ? "" : lines.get(0));
  }
}
