package io.sluice.demo.staging;

import io.sluice.demo.driver.DriverSettings;
import io.sluice.demo.driver.Workload;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Tables of a workload at one scale factor, generated once and kept. They are written to a
 * temporary directory, which is renamed when complete.
 */
public final class WorkloadData {
  /** Version of the tables' layout, part of the directory's name. */
  private static final int LAYOUT = 1;

  /** Heap of the generator: 300 MB of text for comments, and two or more Parquet writers. */
  private static final String HEAP = "-Xmx2g";

  private static final long READ_AHEAD_BYTES = 2L << 30;

  /** Timeout of generation per unit of scale factor; measured: 40 s on two busy cores. */
  private static final Duration TIMEOUT_PER_SCALE = Duration.ofMinutes(20);

  /** Name of the temporary directory, in the directory of a run. */
  public static final String UNFINISHED = "tables";

  private WorkloadData() {}

  static Path directory(Path workDirectory, Workload workload, double scale) {
    return workDirectory.resolve(workload + "-sf" + plain(scale) + "-v" + LAYOUT);
  }

  /** Scale factor as part of a file name. */
  static String plain(double scale) {
    return BigDecimal.valueOf(scale).stripTrailingZeros().toPlainString();
  }

  /** Generates the tables unless they exist. */
  public static Path ensure(
      Workload workload, double scale, SparkStaging spark, DemoProgress progress)
      throws DemoException, IOException, InterruptedException {
    Staging staging = spark.staging();
    Path complete = directory(staging.workDirectory(), workload, scale);
    String data = workload.title() + " data, scale factor " + scale;
    if (Files.isDirectory(complete)) {
      progress.step(data + ": using " + complete);
      return complete;
    }
    progress.step(data + ": generating " + complete + " (kept for later runs)");
    Path unfinished = staging.directory().resolve(UNFINISHED);
    Files.createDirectories(unfinished);
    Map<String, String> conf = new TreeMap<>(spark.sparkConf());
    conf.put("spark.master", "local[*]");
    DriverSettings settings =
        new DriverSettings(
            workload, Optional.empty(), scale, unfinished, staging.directory(), conf);
    Duration timeout =
        TIMEOUT_PER_SCALE.plus(Duration.ofSeconds((long) (TIMEOUT_PER_SCALE.toSeconds() * scale)));
    try (DriverProcess driver = spark.startGenerator(HEAP, settings)) {
      driver.awaitEnd(
          timeout, part -> progress.advance(part.done(), part.total(), "files written"));
    }
    Scratch.publish(unfinished, complete);
    return complete;
  }

  /**
   * Reads the files into the page cache, so that no side of the comparison reads them from disk.
   * Reads at most {@link #READ_AHEAD_BYTES}, because more data may not fit in the cache.
   */
  public static void readAhead(Path directory) throws IOException {
    byte[] buffer = new byte[1 << 20];
    long left = READ_AHEAD_BYTES;
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile).sorted()::iterator) {
        try (InputStream in = Files.newInputStream(file)) {
          for (int count = in.read(buffer); count >= 0 && left > 0; count = in.read(buffer)) {
            left -= count;
          }
        }
      }
    }
  }
}
