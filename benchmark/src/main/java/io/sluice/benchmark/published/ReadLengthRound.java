package io.sluice.benchmark.published;

import io.sluice.client.read.ReadCounters;

/**
 * One read of a shuffle.
 *
 * @param length maximum bytes of a slice
 * @param isShortCircuit whether run files were opened without the server
 * @param deserializationSeconds time of the reading thread, a part of {@code seconds}
 */
record ReadLengthRound(
    int length,
    boolean isShortCircuit,
    double seconds,
    double deserializationSeconds,
    double clientCpuSeconds,
    double serverCpuSeconds,
    ReadCounters counters) {
  private static final double BYTES_PER_GIB = 1L << 30;
  private static final double NANOS_PER_MS = 1e6;

  private double gib() {
    return counters.bytes() / BYTES_PER_GIB;
  }

  double gibPerSecond() {
    return gib() / seconds;
  }

  double deserializationPercent() {
    return 100 * deserializationSeconds / seconds;
  }

  double clientCpuPerGib() {
    return clientCpuSeconds / gib();
  }

  double serverCpuPerGib() {
    return serverCpuSeconds / gib();
  }

  /** Mean time of a fetch from a server; 0 without fetches. */
  double fetchMs() {
    long fetches = counters.requests().fetches();
    return fetches == 0 ? 0 : counters.requests().fetchNanos() / NANOS_PER_MS / fetches;
  }
}
