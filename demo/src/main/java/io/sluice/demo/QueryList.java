package io.sluice.demo;

import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Reads numbers of TPC-H queries as users write them: {@code 1,3,5-7}. */
final class QueryList {
  static final int COUNT = 22;

  private QueryList() {}

  /** All of them. */
  static List<Integer> all() {
    return IntStream.rangeClosed(1, COUNT).boxed().toList();
  }

  static List<Integer> parse(String text) throws DemoException {
    TreeSet<Integer> queries = new TreeSet<>();
    for (String part : text.split(",", -1)) {
      String[] ends = part.strip().split("-", -1);
      if (ends.length > 2) {
        throw wrong(text);
      }
      int first = number(ends[0], text);
      int last = number(ends[ends.length - 1], text);
      if (first > last) {
        throw wrong(text);
      }
      IntStream.rangeClosed(first, last).forEach(queries::add);
    }
    return List.copyOf(queries);
  }

  private static int number(String digits, String text) throws DemoException {
    try {
      int number = Integer.parseInt(digits.strip());
      if (number >= 1 && number <= COUNT) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Said below, with the whole of what was given.
    }
    throw wrong(text);
  }

  private static DemoException wrong(String text) {
    return DemoException.usage(
        "--queries " + text + ": expected numbers from 1 to " + COUNT + ", such as 1,3,5-7");
  }
}
