package io.sluice.demo.spark;

import java.io.Serializable;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.StructType;

/** The tables of a workload and the generator of their rows. Stateless: tasks get a copy. */
interface Tables extends Serializable {
  List<String> names();

  StructType schema(String table);

  /** In how many parts a table is generated: each is one task and one file. */
  int parts(String table, double scale);

  /**
   * The rows of one part.
   *
   * @param part from 1 to {@code parts}
   */
  Iterator<Row> rows(String table, double scale, int part, int parts);
}
