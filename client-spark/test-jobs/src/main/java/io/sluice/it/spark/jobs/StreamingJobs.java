package io.sluice.it.spark.jobs;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeoutException;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;
import org.apache.spark.sql.streaming.StreamingQuery;
import org.apache.spark.sql.streaming.StreamingQueryException;
import org.apache.spark.sql.streaming.Trigger;
import org.apache.spark.sql.types.StructType;

/** A stream with state across batches and across restarts of the query. */
final class StreamingJobs {
  private static final String PARTITIONS = "spark.sql.shuffle.partitions";
  private static final int FILES = 2;
  private static final int ROWS = 4_000;

  private StreamingJobs() {}

  /** Sums by key over files; every query resumes from the state of the previous one. */
  static JobResult streaming(SparkSession spark, BufferedReader input) throws IOException {
    String partitions = spark.conf().get(PARTITIONS);
    spark.conf().set(PARTITIONS, "4");
    try {
      return twoQueries(spark);
    } finally {
      spark.conf().set(PARTITIONS, partitions);
    }
  }

  private static JobResult twoQueries(SparkSession spark) throws IOException {
    Path directory =
        Files.createTempDirectory(Path.of(System.getProperty("java.io.tmpdir")), "stream");
    List<String> rows = new ArrayList<>();
    for (int round = 0; round < 2; round++) {
      for (int file = 0; file < FILES; file++) {
        write(directory.resolve("in"), round * FILES + file);
      }
      rows.addAll(takeUp(spark, directory));
    }
    return JobResult.ofUnordered(rows);
  }

  private static void write(Path directory, int file) throws IOException {
    Files.createDirectories(directory);
    SplittableRandom random = new SplittableRandom(file);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < ROWS; i++) {
      text.append(random.nextInt(300)).append(',').append(random.nextInt(1_000)).append('\n');
    }
    // The stream must see only complete files.
    Path hidden = Files.writeString(directory.resolve("." + file), text);
    Files.move(hidden, directory.resolve(file + ".csv"));
  }

  /** Runs one batch for each new file, then ends the query. */
  private static List<String> takeUp(SparkSession spark, Path directory) {
    Dataset<Row> sums =
        spark
            .readStream()
            .schema(new StructType().add("k", "int").add("v", "long"))
            .option("maxFilesPerTrigger", 1)
            .csv(directory.resolve("in").toString())
            .dropDuplicates("k", "v")
            .groupBy("k")
            .agg(functions.sum("v").as("sum"), functions.count("v").as("n"));
    // The method of the writer has a different signature in each Spark version.
    spark
        .conf()
        .set("spark.sql.streaming.checkpointLocation", directory.resolve("checkpoint").toString());
    try {
      StreamingQuery query =
          sums.writeStream()
              .outputMode("complete")
              .format("memory")
              .queryName("sums")
              .trigger(Trigger.AvailableNow())
              .start();
      query.awaitTermination();
    } catch (TimeoutException | StreamingQueryException e) {
      throw new IllegalStateException("the stream failed", e);
    }
    List<String> rows = new ArrayList<>();
    for (Row row : spark.table("sums").collectAsList()) {
      rows.add(row.toString());
    }
    return rows;
  }
}
