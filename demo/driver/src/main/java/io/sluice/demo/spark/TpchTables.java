package io.sluice.demo.spark;

import io.trino.tpch.TpchColumn;
import io.trino.tpch.TpchColumnType;
import io.trino.tpch.TpchEntity;
import io.trino.tpch.TpchTable;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * The tables of TPC-H, types as in the specification: identifiers are 64-bit integers, amounts are
 * {@code decimal(15, 2)}, days are dates.
 */
final class TpchTables implements Tables {
  private static final long serialVersionUID = 1;

  /**
   * Rows of a part, which is one task and one file: small enough for parallelism, large enough for
   * efficient files.
   */
  private static final int ROWS_PER_PART = 500_000;

  private static final int MONEY_PRECISION = 15;
  private static final int MONEY_SCALE = 2;

  /**
   * Rows at scale factor 1; {@code lineitem} has about four for each order, and the last two tables
   * do not grow.
   */
  private enum Size {
    CUSTOMER(150_000),
    ORDERS(1_500_000),
    LINEITEM(6_000_000),
    PART(200_000),
    PARTSUPP(800_000),
    SUPPLIER(10_000),
    NATION(0),
    REGION(0);

    private final long rows;

    Size(long rows) {
      this.rows = rows;
    }

    int parts(double scale) {
      return (int) Math.max(1, Math.ceil(rows * scale / ROWS_PER_PART));
    }
  }

  @Override
  public List<String> names() {
    return TpchTable.getTables().stream().map(TpchTable::getTableName).toList();
  }

  @Override
  public int parts(String table, double scale) {
    return Size.valueOf(table.toUpperCase(Locale.ROOT)).parts(scale);
  }

  /**
   * Does not use {@code TpchTable.getTable}, which needs a newer Guava than Spark installations
   * have.
   */
  @Override
  public StructType schema(String table) {
    return TpchTable.getTables().stream()
        .filter(candidate -> candidate.getTableName().equals(table))
        .map(TpchTables::schema)
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("TPC-H has no table " + table));
  }

  private static <E extends TpchEntity> StructType schema(TpchTable<E> table) {
    StructField[] fields =
        table.getColumns().stream()
            .map(
                column ->
                    DataTypes.createStructField(
                        column.getColumnName(), type(column.getType()), false))
            .toArray(StructField[]::new);
    return DataTypes.createStructType(fields);
  }

  private static DataType type(TpchColumnType type) {
    return switch (type.getBase()) {
      case IDENTIFIER -> DataTypes.LongType;
      case INTEGER -> DataTypes.IntegerType;
      case DATE -> DataTypes.DateType;
      case DOUBLE -> DataTypes.createDecimalType(MONEY_PRECISION, MONEY_SCALE);
      case VARCHAR -> DataTypes.StringType;
    };
  }

  @Override
  public Iterator<Row> rows(String table, double scale, int part, int parts) {
    return rows(TpchTable.getTable(table), scale, part, parts);
  }

  private static <E extends TpchEntity> Iterator<Row> rows(
      TpchTable<E> table, double scale, int part, int partCount) {
    List<Function<E, Object>> readers =
        table.getColumns().stream().map(TpchTables::reader).toList();
    Iterator<E> entities = table.createGenerator(scale, part, partCount).iterator();
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return entities.hasNext();
      }

      @Override
      public Row next() {
        E entity = entities.next();
        Object[] values = new Object[readers.size()];
        for (int i = 0; i < values.length; i++) {
          values[i] = readers.get(i).apply(entity);
        }
        return RowFactory.create(values);
      }
    };
  }

  private static <E extends TpchEntity> Function<E, Object> reader(TpchColumn<E> column) {
    return switch (column.getType().getBase()) {
      case IDENTIFIER -> column::getIdentifier;
      case INTEGER -> column::getInteger;
      case DATE -> entity -> LocalDate.ofEpochDay(column.getDate(entity));
      // The generator stores cents and divides by 100 for this call; rounding restores the exact
      // cents.
      case DOUBLE ->
          entity -> BigDecimal.valueOf(Math.round(column.getDouble(entity) * 100), MONEY_SCALE);
      case VARCHAR -> column::getString;
    };
  }
}
