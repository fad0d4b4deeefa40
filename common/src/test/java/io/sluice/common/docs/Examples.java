package io.sluice.common.docs;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Reads the blocks of code of pages in Markdown. Pages that a command prints are left out. */
public final class Examples {
  private static final Set<String> GENERATED = Set.of("docs/configuration.md", "docs/metrics.md");
  private static final Pattern FENCE = Pattern.compile("( *)```(.*)");
  private static final Pattern ENTRY = Pattern.compile("( *)([*+-]|\\d+\\.)( +)\\S.*");
  private static final int CODE_INDENTATION = 4;

  private final String page;
  private final List<String> lines;
  private final List<Example> fenced = new ArrayList<>();
  private final List<String> indented = new ArrayList<>();

  /** Columns where the text of the open list entries begins, the innermost first. */
  private final Deque<Integer> entries = new ArrayDeque<>();

  private Examples(String page, List<String> lines) {
    this.page = page;
    this.lines = lines;
    read();
  }

  /** Pages with examples, named from the root of the checkout. */
  public static List<String> pages() {
    return Stream.concat(
            Stream.of("README.md", "CONTRIBUTING.md", "conf/README.md"),
            Checkout.files("docs", ".md").stream())
        .filter(page -> !GENERATED.contains(page))
        .toList();
  }

  /** Blocks of all pages. */
  public static List<Example> all() {
    return pages().stream().flatMap(page -> of(page, Checkout.lines(page)).stream()).toList();
  }

  /** Blocks with one of these marks. */
  public static List<Example> marked(Example.Mark... marks) {
    List<Example.Mark> wanted = Arrays.asList(marks);
    return all().stream()
        .filter(example -> example.mark().filter(wanted::contains).isPresent())
        .toList();
  }

  /** Fenced blocks of a page. */
  public static List<Example> of(String page, List<String> lines) {
    return new Examples(page, lines).fenced;
  }

  /** Lines of code that has an indentation instead of fences: page, number, text. */
  public static List<String> indentedCode(String page, List<String> lines) {
    return new Examples(page, lines).indented;
  }

  private void read() {
    boolean afterBlank = true;
    boolean inCode = false;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      Matcher fence = FENCE.matcher(line);
      if (fence.matches()) {
        i = readFenced(i, fence.group(1).length(), fence.group(2));
        afterBlank = true;
        inCode = false;
      } else if (line.isBlank()) {
        afterBlank = true;
      } else {
        int column = indentation(line);
        leaveEntries(column, afterBlank);
        boolean code = column >= textColumn() + CODE_INDENTATION && (afterBlank || inCode);
        if (code) {
          indented.add(page + ":" + (i + 1) + ": " + line.strip());
        } else {
          enterEntry(line);
        }
        inCode = code;
        afterBlank = false;
      }
    }
  }

  /** Returns the index of the closing fence. */
  private int readFenced(int begin, int indentation, String info) {
    List<String> code = new ArrayList<>();
    for (int i = begin + 1; i < lines.size(); i++) {
      String line = lines.get(i);
      if (line.strip().equals("```")) {
        fenced.add(new Example(page, begin + 1, info, List.copyOf(code)));
        return i;
      }
      code.add(line.substring(Math.min(indentation, indentation(line))));
    }
    throw new IllegalStateException(page + ":" + (begin + 1) + ": the block has no closing fence");
  }

  /** Text left of an entry ends it after a blank line; without one it continues the entry. */
  private void leaveEntries(int column, boolean afterBlank) {
    while (afterBlank && !entries.isEmpty() && column < entries.peek()) {
      entries.pop();
    }
  }

  private void enterEntry(String line) {
    Matcher entry = ENTRY.matcher(line);
    if (entry.matches()) {
      while (!entries.isEmpty() && entry.group(1).length() < entries.peek()) {
        entries.pop();
      }
      entries.push(entry.start(3) + entry.group(3).length());
    }
  }

  private int textColumn() {
    return entries.isEmpty() ? 0 : entries.peek();
  }

  private static int indentation(String line) {
    int column = 0;
    while (column < line.length() && line.charAt(column) == ' ') {
      column++;
    }
    return column;
  }
}
