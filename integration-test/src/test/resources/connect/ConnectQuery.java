import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A client of Spark Connect, run as a source file. Joins two aggregations, sorts the rows, and
 * writes them to a file.
 *
 * <p>Arguments: the address of the server, such as {@code sc://127.0.0.1:15002}, and the file.
 */
public final class ConnectQuery {
  public static void main(String[] arguments) throws Exception {
    SparkSession spark = SparkSession.builder().remote(arguments[0]).getOrCreate();
    Dataset<Row> sums =
        spark.range(0, 50_000, 1, 6).selectExpr("id % 500 as k", "id as v").groupBy("k").sum("v");
    Dataset<Row> counts =
        spark.range(0, 10_000, 1, 4).selectExpr("id % 1000 as k").groupBy("k").count();
    List<String> rows =
        sums.join(counts, "k").orderBy("k").collectAsList().stream().map(Row::toString).toList();
    Files.write(Path.of(arguments[1]), rows);
    System.exit(0);
  }
}
