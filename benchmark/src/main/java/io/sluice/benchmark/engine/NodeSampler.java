package io.sluice.benchmark.engine;

import io.sluice.localcluster.ClusterNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Samples processes at a fixed interval on a thread of its own, and writes a CSV file. */
final class NodeSampler implements AutoCloseable {
  private final List<ClusterNode> nodes;
  private final PrintWriter out;
  private final long startNanos = System.nanoTime();
  private final List<NodeSample> samples = new CopyOnWriteArrayList<>();
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(work -> new Thread(work, "sampler"));
  private final ScheduledFuture<?> sampling;

  NodeSampler(List<ClusterNode> nodes, Path file, Duration interval) throws IOException {
    this.nodes = List.copyOf(nodes);
    this.out = new PrintWriter(Files.newBufferedWriter(file));
    out.println(NodeSample.CSV_HEADING);
    sampling =
        thread.scheduleAtFixedRate(this::sample, 0, interval.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void sample() {
    long seconds = seconds();
    for (ClusterNode node : nodes) {
      try {
        NodeSample.of(node, seconds)
            .ifPresent(
                sample -> {
                  samples.add(sample);
                  out.println(sample.csv());
                });
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    out.flush();
  }

  /** Seconds since the start. */
  long seconds() {
    return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos);
  }

  /** All samples so far, by time. */
  List<NodeSample> samples() {
    return List.copyOf(samples);
  }

  /**
   * Ends the samples.
   *
   * @throws IllegalStateException if one of them failed
   */
  @Override
  public void close() {
    boolean failed = sampling.isDone();
    thread.shutdownNow();
    out.close();
    if (failed) {
      throw new IllegalStateException("a process could not be sampled: " + sampling);
    }
  }
}
