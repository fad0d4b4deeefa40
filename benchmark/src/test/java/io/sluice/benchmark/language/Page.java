package io.sluice.benchmark.language;

import io.sluice.common.docs.Checkout;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A page of documentation in Markdown, as its sentences: without code, addresses and pictures. A
 * cell of a table, a list entry and a heading end a sentence.
 */
final class Page {
  private static final Pattern CODE = Pattern.compile("`[^`]*`");
  private static final Pattern LINK = Pattern.compile("!?\\[([^\\]]*)]\\([^)]*\\)");
  private static final Pattern COMMENT = Pattern.compile("<[^>]*>");
  private static final Pattern END = Pattern.compile("(?<=[.!?:;]|[.!?:;]\\*\\*)\\s+");
  private static final Pattern ENTRY = Pattern.compile("^\\s*([*-]|\\d+\\.)\\s+");

  /** One sentence, with the number of the line that it begins on. */
  record Sentence(int line, String text) {
    long words() {
      return Stream.of(text.split("\\s+")).filter(word -> word.matches(".*\\w.*")).count();
    }
  }

  private final List<Sentence> sentences = new ArrayList<>();
  private final StringBuilder paragraph = new StringBuilder();
  private int begun;

  private Page() {}

  static List<Sentence> sentences(String file) {
    return new Page().read(Checkout.lines(file));
  }

  private List<Sentence> read(List<String> lines) {
    boolean code = false;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.strip().startsWith("```")) {
        code = !code;
        endParagraph();
      } else if (code || (line.startsWith("    ") && paragraph.isEmpty())) {
        endParagraph();
      } else if (line.strip().startsWith("|")) {
        endParagraph();
        for (String cell : CODE.matcher(line).replaceAll("X").split("\\|")) {
          add(i, cell);
          endParagraph();
        }
      } else if (line.isBlank() || line.startsWith("#")) {
        endParagraph();
        add(i, line.replace("#", ""));
        endParagraph();
      } else {
        if (ENTRY.matcher(line).find()) {
          endParagraph();
        }
        add(i, ENTRY.matcher(line).replaceFirst(""));
      }
    }
    endParagraph();
    return sentences;
  }

  private void add(int index, String text) {
    if (paragraph.isEmpty()) {
      begun = index + 1;
    }
    paragraph.append(text).append(' ');
  }

  private void endParagraph() {
    String text = LINK.matcher(CODE.matcher(paragraph).replaceAll("X")).replaceAll("$1");
    for (String sentence : END.split(COMMENT.matcher(text).replaceAll(" ").strip())) {
      if (!sentence.isBlank()) {
        sentences.add(new Sentence(begun, sentence));
      }
    }
    paragraph.setLength(0);
  }
}
