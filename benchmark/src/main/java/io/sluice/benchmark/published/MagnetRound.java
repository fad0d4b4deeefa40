package io.sluice.benchmark.published;

import io.sluice.cli.bench.BenchReport;

/**
 * A push and a fetch of blocks of one size.
 *
 * @param residentBytes highest resident memory of the server during both
 */
record MagnetRound(BenchReport push, BenchReport fetch, long residentBytes) {
  private static final double BYTES_PER_GIB = 1L << 30;
  private static final double NANOS_PER_SECOND = 1e9;

  static double gibPerSecond(BenchReport report) {
    return gib(report) / report.seconds();
  }

  static double clientCpuPerGib(BenchReport report) {
    return report.clientCpuNanos() / NANOS_PER_SECOND / gib(report);
  }

  static double serverCpuPerGib(BenchReport report) {
    return report.serverCpuSeconds() / gib(report);
  }

  private static double gib(BenchReport report) {
    return report.movedBytes() / BYTES_PER_GIB;
  }
}
