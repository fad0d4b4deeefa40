package io.sluice.benchmark.engine;

import io.sluice.localcluster.ClusterNode;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * CPU time that the processes of one side have used since their start, in milliseconds, in steps of
 * 10 ms. Executors that have ended are not included.
 */
record SideCpu(long driverMs, long executorsMs, long serversMs) {

  /** CPU time of a driver, its executors, and servers. */
  static SideCpu of(ProcessHandle driver, List<ProcessHandle> servers) {
    return new SideCpu(
        cpuMs(driver),
        driver.descendants().mapToLong(SideCpu::cpuMs).sum(),
        servers.stream().mapToLong(SideCpu::cpuMs).sum());
  }

  /** CPU time of nodes. */
  static long nodesMs(List<ClusterNode> nodes) {
    return processes(nodes).stream().mapToLong(SideCpu::cpuMs).sum();
  }

  /** The processes of nodes that run. */
  static List<ProcessHandle> processes(List<ClusterNode> nodes) {
    return nodes.stream()
        .flatMap(node -> node.isAlive() ? ProcessHandle.of(node.pid()).stream() : Stream.of())
        .toList();
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
