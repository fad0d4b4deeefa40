package io.sluice.cli.bench;

import io.sluice.cli.bench.BenchCluster.Share;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * All connections of a benchmark, distributed over the servers round-robin. Used by the main
 * thread.
 */
final class BenchConnections implements AutoCloseable {
  /**
   * Number of concurrent connection attempts. A server's accept queue has 128 entries by default.
   */
  private static final int WAVE = 64;

  /**
   * One connection.
   *
   * @param share its server and partitions
   */
  record To(Share share, DataConnection connection) {}

  private final List<To> connections = new ArrayList<>();

  /**
   * Opens all connections, in groups of {@value #WAVE}.
   *
   * @param transport borrowed
   */
  static BenchConnections open(
      DataTransport transport, List<Share> shares, int count, String application, long timeoutMs)
      throws IOException, InterruptedException {
    BenchConnections opened = new BenchConnections();
    try {
      for (int start = 0; start < count; start += WAVE) {
        opened.wave(
            transport, shares, start, Math.min(count, start + WAVE), application, timeoutMs);
      }
      return opened;
    } catch (IOException | InterruptedException | RuntimeException failure) {
      opened.close();
      throw failure;
    }
  }

  private void wave(
      DataTransport transport,
      List<Share> shares,
      int start,
      int end,
      String application,
      long timeoutMs)
      throws IOException, InterruptedException {
    List<CompletableFuture<DataConnection>> pending = new ArrayList<>();
    for (int i = start; i < end; i++) {
      pending.add(
          transport.connect(shares.get(i % shares.size()).server(), application, "bench-" + i));
    }
    IOException failure = null;
    for (int i = start; i < end; i++) {
      try {
        DataConnection connection = pending.get(i - start).get(timeoutMs, TimeUnit.MILLISECONDS);
        connections.add(new To(shares.get(i % shares.size()), connection));
      } catch (ExecutionException | TimeoutException refused) {
        Throwable cause = refused instanceof ExecutionException ? refused.getCause() : refused;
        failure =
            new IOException("connection " + (i + 1) + " failed: " + cause.getMessage(), cause);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  List<To> all() {
    return connections;
  }

  @Override
  public void close() {
    connections.forEach(to -> to.connection().close());
    connections.clear();
  }
}
