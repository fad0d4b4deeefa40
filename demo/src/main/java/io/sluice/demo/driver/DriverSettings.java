package io.sluice.demo.driver;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;

/**
 * Settings of a driver, passed in a file that is its only argument.
 *
 * @param workload workload to run
 * @param queryTexts jar with the texts of the queries, if they are not part of the demo
 * @param scale scale factor of the data
 * @param dataDirectory directory of the tables
 * @param rowsDirectory directory for the rows of each query
 * @param spark configuration of Spark
 */
public record DriverSettings(
    Workload workload,
    Optional<Path> queryTexts,
    double scale,
    Path dataDirectory,
    Path rowsDirectory,
    Map<String, String> spark) {
  private static final String WORKLOAD = "workload";
  private static final String QUERY_TEXTS = "query.texts";
  private static final String SCALE = "scale";
  private static final String DATA = "data";
  private static final String ROWS = "rows";

  public DriverSettings {
    spark = Map.copyOf(spark);
  }

  public void write(Path file) throws IOException {
    Properties properties = new Properties();
    properties.setProperty(WORKLOAD, workload.toString());
    queryTexts.ifPresent(jar -> properties.setProperty(QUERY_TEXTS, jar.toString()));
    properties.setProperty(SCALE, Double.toString(scale));
    properties.setProperty(DATA, dataDirectory.toString());
    properties.setProperty(ROWS, rowsDirectory.toString());
    properties.putAll(spark);
    try (Writer out = Files.newBufferedWriter(file, StandardCharsets.UTF_8)) {
      properties.store(out, null);
    }
  }

  public static DriverSettings read(Path file) {
    Properties properties = new Properties();
    try (Reader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the driver's settings " + file, e);
    }
    Map<String, String> spark = new TreeMap<>();
    for (String key : properties.stringPropertyNames()) {
      if (key.startsWith("spark.")) {
        spark.put(key, properties.getProperty(key));
      }
    }
    return new DriverSettings(
        Workload.of(properties.getProperty(WORKLOAD)),
        Optional.ofNullable(properties.getProperty(QUERY_TEXTS)).map(Path::of),
        Double.parseDouble(properties.getProperty(SCALE)),
        Path.of(properties.getProperty(DATA)),
        Path.of(properties.getProperty(ROWS)),
        spark);
  }
}
