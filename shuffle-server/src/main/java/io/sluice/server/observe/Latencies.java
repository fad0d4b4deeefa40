package io.sluice.server.observe;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Histogram;
import io.sluice.metrics.Instruments;
import io.sluice.metrics.Metric;
import java.util.List;
import java.util.stream.Stream;

/**
 * Histograms of the duration and size of pushes, opens, fetches, spills and merges, with one
 * observation per frame or file. Thread-safe.
 */
public final class Latencies {
  private static final double NANOS_PER_SECOND = 1e9;

  /** A push takes microseconds; 100 ms or more indicates a problem. */
  private static final List<Double> PUSHES =
      List.of(
          0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
          1.0);

  /**
   * Microseconds from memory, tens of milliseconds from an HDD; an open may wait for map attempts.
   */
  private static final List<Double> ANSWERS =
      List.of(
          0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0,
          10.0, 30.0, 60.0);

  /** A run of 256 MiB takes a tenth of a second on NVMe, two seconds on a good HDD. */
  private static final List<Double> FILES =
      List.of(
          0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0,
          300.0);

  private static final List<Double> BODY_SIZES = powersOfFour(4 << 10, 8);
  private static final List<Double> FILE_SIZES = powersOfFour(64 << 10, 8);

  private static final Metric PUSH_SECONDS =
      Metric.histogram(
          "sluice_server_push_seconds",
          "Time to verify and append a push frame, from its last byte received to"
              + " its reply, in seconds",
          PUSHES);
  private static final Metric PUSH_BODY_BYTES =
      Metric.histogram(
          "sluice_server_push_body_bytes", "Bytes of blocks per push frame", BODY_SIZES);
  private static final Metric OPEN_SECONDS =
      Metric.histogram(
          "sluice_server_open_seconds",
          "Time from an Open request to its reply, including its wait for map attempts, in seconds",
          ANSWERS);
  private static final Metric FETCH_SECONDS =
      Metric.histogram(
          "sluice_server_fetch_seconds",
          "Time from a Fetch request until its bytes are ready to be sent, in seconds",
          ANSWERS);
  private static final Metric FETCH_BODY_BYTES =
      Metric.histogram(
          "sluice_server_fetch_body_bytes", "Bytes per reply to a Fetch request", BODY_SIZES);
  private static final Metric SPILL_SECONDS =
      Metric.histogram(
          "sluice_server_spill_seconds",
          "Time of a spill, from its decision until the run is written and in the"
              + " catalog, in seconds",
          FILES);
  private static final Metric SPILL_RUN_BYTES =
      Metric.histogram("sluice_server_spill_run_bytes", "Bytes per spilled run", FILE_SIZES);
  private static final Metric MERGE_SECONDS =
      Metric.histogram(
          "sluice_server_merge_seconds",
          "Time of a merge, including its pauses for spills, in seconds",
          FILES);

  private final Histogram pushSeconds = Instruments.histogram(PUSH_SECONDS);
  private final Histogram pushBodyBytes = Instruments.histogram(PUSH_BODY_BYTES);
  private final Histogram openSeconds = Instruments.histogram(OPEN_SECONDS);
  private final Histogram fetchSeconds = Instruments.histogram(FETCH_SECONDS);
  private final Histogram fetchBodyBytes = Instruments.histogram(FETCH_BODY_BYTES);
  private final Histogram spillSeconds = Instruments.histogram(SPILL_SECONDS);
  private final Histogram spillRunBytes = Instruments.histogram(SPILL_RUN_BYTES);
  private final Histogram mergeSeconds = Instruments.histogram(MERGE_SECONDS);

  public static List<Metric> metrics() {
    return List.of(
        PUSH_SECONDS,
        PUSH_BODY_BYTES,
        OPEN_SECONDS,
        FETCH_SECONDS,
        FETCH_BODY_BYTES,
        SPILL_SECONDS,
        SPILL_RUN_BYTES,
        MERGE_SECONDS);
  }

  public void register(CollectorRegistry registry) {
    for (Histogram histogram :
        List.of(
            pushSeconds,
            pushBodyBytes,
            openSeconds,
            fetchSeconds,
            fetchBodyBytes,
            spillSeconds,
            spillRunBytes,
            mergeSeconds)) {
      registry.register(histogram);
    }
  }

  /** Records a push that was answered, accepted or refused. */
  public void pushed(long nanos, int bodyBytes) {
    pushSeconds.observe(nanos / NANOS_PER_SECOND);
    pushBodyBytes.observe(bodyBytes);
  }

  public void opened(long nanos) {
    openSeconds.observe(nanos / NANOS_PER_SECOND);
  }

  /** Records a fetch whose bytes are ready to be sent. */
  public void fetched(long nanos, int bodyBytes) {
    fetchSeconds.observe(nanos / NANOS_PER_SECOND);
    fetchBodyBytes.observe(bodyBytes);
  }

  public void spilled(long nanos, long runBytes) {
    spillSeconds.observe(nanos / NANOS_PER_SECOND);
    spillRunBytes.observe((double) runBytes);
  }

  public void merged(long nanos) {
    mergeSeconds.observe(nanos / NANOS_PER_SECOND);
  }

  private static List<Double> powersOfFour(int first, int count) {
    return Stream.iterate((double) first, bound -> bound * 4).limit(count).toList();
  }
}
