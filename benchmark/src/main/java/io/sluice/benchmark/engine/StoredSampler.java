package io.sluice.benchmark.engine;

import io.sluice.demo.staging.Staging;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Samples the stored bytes of all servers, on a thread of its own. */
final class StoredSampler implements AutoCloseable {
  private static final long INTERVAL_MS = 100;
  private static final long END_SECONDS = 30;

  private final Staging staging;
  private final ClusterProbe probe;
  private final Map<Long, Long> bytesByTime = new TreeMap<>();
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(work -> new Thread(work, "stored-sampler"));
  private final ScheduledFuture<?> sampling;

  StoredSampler(Staging staging) {
    this.staging = staging;
    this.probe = staging.probe();
    sampling = thread.scheduleAtFixedRate(this::sample, 0, INTERVAL_MS, TimeUnit.MILLISECONDS);
  }

  private void sample() {
    long bytes = 0;
    try {
      for (ClusterNode server : staging.cluster().servers()) {
        bytes += probe.status(server).getLoad().getStoredBytes();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    bytesByTime.put(System.currentTimeMillis(), bytes);
  }

  /**
   * Ends sampling, and returns stored bytes by milliseconds since 1970.
   *
   * @throws IllegalStateException if a sample failed
   */
  StepCurve end() throws InterruptedException {
    boolean failed = sampling.isDone();
    thread.shutdown();
    if (failed || !thread.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException("stored bytes could not be sampled: " + sampling);
    }
    return StepCurve.ofValues(bytesByTime);
  }

  @Override
  public void close() {
    thread.shutdownNow();
    probe.close();
  }
}
