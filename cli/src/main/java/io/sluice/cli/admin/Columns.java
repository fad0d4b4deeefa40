package io.sluice.cli.admin;

import io.sluice.cli.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Columns of a table, with functions that compute their cells. Used by one thread. */
final class Columns<T> {
  private final List<Column<T>> columns = new ArrayList<>();

  private record Column<T>(String name, boolean wide, Function<T, ?> cell) {}

  /**
   * @param name as for {@link TextTable}
   */
  Columns<T> column(String name, Function<T, ?> cell) {
    columns.add(new Column<>(name, false, cell));
    return this;
  }

  /** Adds a column of wide output. */
  Columns<T> wide(String name, Function<T, ?> cell) {
    columns.add(new Column<>(name, true, cell));
    return this;
  }

  TextTable table(List<T> rows, boolean wide) {
    List<Column<T>> shown = columns.stream().filter(column -> wide || !column.wide).toList();
    TextTable table = new TextTable(shown.stream().map(Column::name).toArray(String[]::new));
    for (T row : rows) {
      table.row(shown.stream().map(column -> column.cell.apply(row)).toArray());
    }
    return table;
  }
}
