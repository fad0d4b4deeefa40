package io.sluice.demo.spark;

import io.trino.tpcds.Results;
import io.trino.tpcds.Session;
import io.trino.tpcds.Table;
import io.trino.tpcds.column.Column;
import io.trino.tpcds.column.ColumnType;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * The 24 tables of TPC-DS, types as in the specification: identifiers are 64-bit integers, and text
 * is not padded.
 */
final class TpcdsTables implements Tables {
  private static final long serialVersionUID = 1;

  /**
   * The generator does not split smaller tables. Rows of sales tables are orders of about ten
   * items.
   */
  private static final long MIN_ROWS_TO_SPLIT = 1_000_000;

  private static final long ROWS_PER_PART = 50_000;

  @Override
  public List<String> names() {
    return Stream.of(Table.values())
        .filter(table -> table.getColumns().length > 0 && table != Table.DBGEN_VERSION)
        .map(Table::getName)
        .toList();
  }

  @Override
  public StructType schema(String table) {
    StructField[] fields =
        Stream.of(table(table).getColumns())
            .map(column -> DataTypes.createStructField(name(column), type(column.getType()), true))
            .toArray(StructField[]::new);
    return DataTypes.createStructType(fields);
  }

  @Override
  public int parts(String table, double scale) {
    long rows = Session.getDefaultSession().withScale(scale).getScaling().getRowCount(table(table));
    return rows < MIN_ROWS_TO_SPLIT ? 1 : Math.toIntExact(rows / ROWS_PER_PART);
  }

  @Override
  public Iterator<Row> rows(String table, double scale, int part, int parts) {
    Table generated = table(table);
    // Without a table, the generator returns sales together with their returns.
    Session session =
        Session.getDefaultSession()
            .withScale(scale)
            .withParallelism(parts)
            .withChunkNumber(part)
            .withTable(generated);
    Column[] columns = generated.getColumns();
    return StreamSupport.stream(Results.constructResults(generated, session).spliterator(), false)
        .map(rows -> row(columns, rows.get(0)))
        .iterator();
  }

  private static Table table(String name) {
    return Table.valueOf(name.toUpperCase(Locale.ROOT));
  }

  /** The generator's column name, except one that the queries name differently. */
  private static String name(Column column) {
    String name = column.getName().toLowerCase(Locale.ROOT);
    return name.equals("c_last_review_date_sk") ? "c_last_review_date" : name;
  }

  private static DataType type(ColumnType type) {
    return switch (type.getBase()) {
      case IDENTIFIER -> DataTypes.LongType;
      case INTEGER -> DataTypes.IntegerType;
      case DATE -> DataTypes.DateType;
      case DECIMAL ->
          DataTypes.createDecimalType(
              type.getPrecision().orElseThrow(), type.getScale().orElseThrow());
      case VARCHAR, CHAR, TIME -> DataTypes.StringType;
    };
  }

  private static Row row(Column[] columns, List<String> texts) {
    Object[] values = new Object[columns.length];
    for (int i = 0; i < values.length; i++) {
      String text = texts.get(i);
      values[i] = text == null ? null : value(columns[i].getType(), text);
    }
    return RowFactory.create(values);
  }

  private static Object value(ColumnType type, String text) {
    return switch (type.getBase()) {
      case IDENTIFIER -> Long.valueOf(text);
      case INTEGER -> Integer.valueOf(text);
      case DATE -> LocalDate.parse(text);
      case DECIMAL -> new BigDecimal(text);
      case VARCHAR, CHAR, TIME -> text;
    };
  }
}
