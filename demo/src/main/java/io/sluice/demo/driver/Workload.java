package io.sluice.demo.driver;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A published benchmark: queries and their data. */
public enum Workload {
  TPCH("TPC-H", 22),
  TPCDS("TPC-DS", 99);

  /** Queries of TPC-DS that have two texts, {@code a} and {@code b}. */
  private static final Set<Integer> TPCDS_PAIRS = Set.of(14, 23, 24, 39);

  private final String title;
  private final int lastNumber;

  Workload(String title, int lastNumber) {
    this.title = title;
    this.lastNumber = lastNumber;
  }

  /** Value of the option and part of file names, such as {@code tpch}. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Parses the text of {@link #toString}.
   *
   * @throws IllegalArgumentException if there is no such workload
   */
  public static Workload of(String text) {
    return valueOf(text.toUpperCase(Locale.ROOT));
  }

  /** Official name, such as {@code TPC-H}. */
  public String title() {
    return title;
  }

  /** Names of all queries in order: numbers from 1, and variants such as {@code 14a}. */
  public List<String> queries() {
    return queries(1, lastNumber);
  }

  private List<String> queries(int first, int last) {
    return IntStream.rangeClosed(first, last)
        .boxed()
        .flatMap(
            number ->
                this == TPCDS && TPCDS_PAIRS.contains(number)
                    ? Stream.of(number + "a", number + "b")
                    : Stream.of(Integer.toString(number)))
        .toList();
  }

  /**
   * Parses a list of names, numbers and ranges, such as {@code 1,3,5-7,14a}. Returns queries in the
   * order of {@link #queries}. A number selects both variants of a query that has two.
   *
   * @throws IllegalArgumentException with the expected format if the list is not valid
   */
  public List<String> select(String list) {
    Set<String> selected = new HashSet<>();
    for (String part : list.split(",", -1)) {
      selected.addAll(selectPart(part.strip(), list));
    }
    return queries().stream().filter(selected::contains).toList();
  }

  private List<String> selectPart(String part, String list) {
    if (queries().contains(part)) {
      return List.of(part);
    }
    String[] ends = part.split("-", -1);
    if (ends.length <= 2) {
      try {
        int first = Integer.parseInt(ends[0].strip());
        int last = Integer.parseInt(ends[ends.length - 1].strip());
        if (first >= 1 && first <= last && last <= lastNumber) {
          return queries(first, last);
        }
      } catch (NumberFormatException e) {
        // Reported below, with the whole list.
      }
    }
    throw new IllegalArgumentException(
        list + ": expected numbers from 1 to " + lastNumber + ", such as 1,3,5-7");
  }
}
