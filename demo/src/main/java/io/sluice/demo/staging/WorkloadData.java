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
 * The tables of a workload at one scale factor, made once and kept. A directory of tables has its
 * final name only when it is complete: it is written under another name and renamed.
 */
public final class WorkloadData {
  /** Part of the directory's name: data made by another layout is not taken for this one. */
  private static final int LAYOUT = 1;

  /**
   * The generator holds 300 MB of text to cut comments from; the rest is for two or more writers of
   * Parquet.
   */
  private static final String HEAP = "-Xmx2g";

  private static final long READ_AHEAD_BYTES = 2L << 30;

  /** Per unit of scale factor; measured: 40 s on two busy cores. */
  private static final Duration TIMEOUT_PER_SCALE = Duration.ofMinutes(20);

  /** In the directory of a run: what is not complete yet. */
  public static final String UNFINISHED = "tables";

  private WorkloadData() {}

  static Path directory(Path workDirectory, Workload workload, double scale) {
    return workDirectory.resolve(workload + "-sf" + plain(scale) + "-v" + LAYOUT);
  }

  /** A scale factor as a part of a file's name. */
  static String plain(double scale) {
    return BigDecimal.valueOf(scale).stripTrailingZeros().toPlainString();
  }

  /** Makes the tables unless they are there. */
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
    progress.step(data + ": making " + complete + " (kept for the next time)");
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
   * Reads the files once, so that neither side of the comparison pays for bringing them from the
   * disk. Data beyond {@link #READ_AHEAD_BYTES} would push itself out of memory again.
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
