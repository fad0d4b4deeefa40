package io.sluice.benchmark.engine;

import io.sluice.localcluster.ClusterNode;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * CPU time that the processes of one side have used since they began, in milliseconds; as fine as
 * the system counts, 10 ms. Executors that have ended are not in it.
 */
record SideCpu(long driverMs, long executorsMs, long serversMs) {

  /** Of a driver, its executors, and the nodes that work for it. */
  static SideCpu of(ProcessHandle driver, List<ClusterNode> nodes) {
    return new SideCpu(
        cpuMs(driver), driver.descendants().mapToLong(SideCpu::cpuMs).sum(), nodesMs(nodes));
  }

  /** Of nodes alone. */
  static long nodesMs(List<ClusterNode> nodes) {
    return nodes.stream()
        .flatMap(node -> node.isAlive() ? ProcessHandle.of(node.pid()).stream() : Stream.of())
        .mapToLong(SideCpu::cpuMs)
        .sum();
  }

  private static long cpuMs(ProcessHandle process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO).toMillis();
  }

  SideCpu since(SideCpu earlier) {
    return new SideCpu(
        driverMs - earlier.driverMs,
        executorsMs - earlier.executorsMs,
        serversMs - earlier.serversMs);
  }

  long totalMs() {
    return driverMs + executorsMs + serversMs;
  }
}
