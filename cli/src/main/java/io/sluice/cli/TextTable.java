package io.sluice.cli;

import java.util.ArrayList;
import java.util.List;

/** Text table whose columns are as wide as their longest cell and separated by two blanks. */
public final class TextTable {
  private final List<String[]> rows = new ArrayList<>();
  private final boolean[] right;

  /**
   * Creates a table with a heading.
   *
   * @param columns column names; a name that begins with {@code >} makes the column right-aligned
   */
  public TextTable(String... columns) {
    right = new boolean[columns.length];
    String[] heading = columns.clone();
    for (int i = 0; i < columns.length; i++) {
      right[i] = columns[i].startsWith(">");
      heading[i] = right[i] ? columns[i].substring(1) : columns[i];
    }
    rows.add(heading);
  }

  /** Adds a row with one cell for each column. */
  public void row(Object... cells) {
    if (cells.length != right.length) {
      throw new IllegalArgumentException(
          "expected " + right.length + " cells, found " + cells.length);
    }
    String[] texts = new String[cells.length];
    for (int i = 0; i < cells.length; i++) {
      texts[i] = String.valueOf(cells[i]);
    }
    rows.add(texts);
  }

  @Override
  public String toString() {
    int[] widths = new int[right.length];
    for (String[] row : rows) {
      for (int i = 0; i < row.length; i++) {
        widths[i] = Math.max(widths[i], row[i].length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.length; i++) {
        String pad = " ".repeat(widths[i] - row[i].length());
        line.append(i == 0 ? "" : "  ").append(right[i] ? pad + row[i] : row[i] + pad);
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }
}
