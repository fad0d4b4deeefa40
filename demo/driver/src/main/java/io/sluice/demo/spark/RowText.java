package io.sluice.demo.spark;

import io.sluice.demo.driver.ResultRows;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.Row;

/** Converts rows to comparable text. */
public final class RowText {
  /** Precision of doubles, because their last digits depend on the order of additions. */
  private static final MathContext DIGITS = new MathContext(10);

  private RowText() {}

  /** Line of a row, see {@link ResultRows#line}. */
  public static String line(Row row) {
    List<String> columns = new ArrayList<>();
    for (int i = 0; i < row.size(); i++) {
      columns.add(text(row.get(i)));
    }
    return ResultRows.line(columns);
  }

  private static String text(Object value) {
    if (value == null) {
      return null;
    }
    if (value instanceof BigDecimal decimal) {
      return decimal.toPlainString();
    }
    if (value instanceof Double number && Double.isFinite(number)) {
      return new BigDecimal(number).round(DIGITS).toString();
    }
    return value.toString();
  }
}
