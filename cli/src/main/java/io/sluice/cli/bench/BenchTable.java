package io.sluice.cli.bench;

import io.sluice.cli.TextTable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * Table of results. Cells of number columns are numbers, so that reports can draw them. Used by one
 * thread.
 */
public final class BenchTable {
  private static final String NO_VALUE = "-";

  private final String name;
  private final String title;
  private final List<Column> columns;
  private final List<List<Object>> rows = new ArrayList<>();
  private final List<Chart> charts = new ArrayList<>();

  /**
   * Creates a table without rows.
   *
   * @param name unique in the results of a command: lower-case letters and hyphens
   */
  public BenchTable(String name, String title, Column... columns) {
    this(name, title, List.of(columns));
  }

  /** Creates a table without rows. */
  public BenchTable(String name, String title, List<Column> columns) {
    if (columns.stream().map(Column::name).distinct().count() != columns.size()) {
      throw new IllegalArgumentException("table " + name + ": column names must be distinct");
    }
    this.name = name;
    this.title = title;
    this.columns = List.copyOf(columns);
  }

  /**
   * A column.
   *
   * @param decimals decimal places of numbers; {@link #TEXT} for text
   */
  public record Column(String name, int decimals) {
    /** Value of {@code decimals} in a column of texts. */
    public static final int TEXT = -1;

    private static final int MAX_DECIMALS = 6;

    public Column {
      if (decimals < TEXT || decimals > MAX_DECIMALS) {
        throw new IllegalArgumentException(
            "column \"" + name + "\": decimals must be -1 to " + MAX_DECIMALS + ": " + decimals);
      }
    }

    /** A column of texts. */
    public static Column text(String name) {
      return new Column(name, TEXT);
    }

    /** A column of numbers. */
    public static Column number(String name, int decimals) {
      return new Column(name, decimals);
    }

    /** True if the cells are numbers. */
    public boolean isNumber() {
      return decimals != TEXT;
    }

    /** The cell as text. */
    public String format(Object cell) {
      if (cell == null) {
        return NO_VALUE;
      }
      return cell instanceof Number number
          ? String.format(Locale.ROOT, "%,." + decimals + "f", number.doubleValue())
          : (String) cell;
    }

    private void check(Object cell) {
      boolean fits = cell == null || (isNumber() ? isFinite(cell) : cell instanceof String);
      if (!fits) {
        throw new IllegalArgumentException(
            "column \""
                + name
                + "\": expected a "
                + (isNumber() ? "finite number" : "text")
                + ", found "
                + cell);
      }
    }

    private static boolean isFinite(Object cell) {
      return cell instanceof Number number && Double.isFinite(number.doubleValue());
    }
  }

  /**
   * A chart of number columns.
   *
   * @param unit unit of the vertical axis
   * @param labels column with the labels of the horizontal axis
   * @param by column whose values are separate series; empty: none
   * @param values number columns; one if {@code by} is not empty
   */
  public record Chart(
      String title, String unit, Kind kind, String labels, String by, List<String> values) {

    /** Form of a chart. */
    public enum Kind {
      BARS,
      LINES
    }

    public Chart {
      values = List.copyOf(values);
      if (values.isEmpty() || (!by.isEmpty() && values.size() > 1)) {
        throw new IllegalArgumentException(
            "chart \""
                + title
                + "\": expected one column of values, or several without a series"
                + " column, found "
                + values
                + " by \""
                + by
                + "\"");
      }
    }
  }

  public String name() {
    return name;
  }

  public String title() {
    return title;
  }

  public List<Column> columns() {
    return columns;
  }

  /** Cells of each row: numbers, texts or null for a missing value. */
  public List<List<Object>> rows() {
    return Collections.unmodifiableList(rows);
  }

  public List<Chart> charts() {
    return Collections.unmodifiableList(charts);
  }

  /** Adds a row with one cell for each column. */
  public BenchTable row(Object... cells) {
    if (cells.length != columns.size()) {
      throw new IllegalArgumentException(
          "table " + name + ": expected " + columns.size() + " cells, found " + cells.length);
    }
    for (int i = 0; i < cells.length; i++) {
      columns.get(i).check(cells[i]);
    }
    rows.add(Collections.unmodifiableList(Arrays.asList(cells.clone())));
    return this;
  }

  /** Adds a chart of columns of this table. */
  public BenchTable chart(Chart chart) {
    column(chart.labels());
    if (!chart.by().isEmpty()) {
      column(chart.by());
    }
    for (String value : chart.values()) {
      if (!columns.get(column(value)).isNumber()) {
        throw new IllegalArgumentException(
            "chart \"" + chart.title() + "\": column \"" + value + "\" has no numbers");
      }
    }
    charts.add(chart);
    return this;
  }

  /** Index of a column. */
  public int column(String column) {
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).name().equals(column)) {
        return i;
      }
    }
    throw new IllegalArgumentException("table " + name + " has no column \"" + column + "\"");
  }

  /** Renders the rows for a terminal. */
  public String toText() {
    TextTable text =
        new TextTable(
            columns.stream()
                .map(column -> (column.isNumber() ? ">" : "") + column.name())
                .toArray(String[]::new));
    for (List<Object> row : rows) {
      text.row(formatted(row).toArray());
    }
    return text.toString();
  }

  /** Renders the rows as a Markdown table. */
  public String toMarkdown() {
    StringBuilder text = new StringBuilder();
    line(text, columns.stream().map(Column::name).toList());
    line(text, columns.stream().map(column -> column.isNumber() ? "---:" : "---").toList());
    rows.forEach(row -> line(text, formatted(row)));
    return text.toString();
  }

  private static void line(StringBuilder text, List<String> cells) {
    text.append('|');
    cells.forEach(cell -> text.append(' ').append(cell.replace("|", "\\|")).append(" |"));
    text.append('\n');
  }

  private List<String> formatted(List<Object> row) {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < row.size(); i++) {
      texts.add(columns.get(i).format(row.get(i)));
    }
    return texts;
  }
}
