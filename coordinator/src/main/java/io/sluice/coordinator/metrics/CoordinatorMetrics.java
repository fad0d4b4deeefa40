package io.sluice.coordinator.metrics;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;
import io.prometheus.client.hotspot.BufferPoolsExports;
import io.prometheus.client.hotspot.GarbageCollectorExports;
import io.prometheus.client.hotspot.MemoryPoolsExports;
import io.prometheus.client.hotspot.StandardExports;
import io.prometheus.client.hotspot.ThreadExports;
import io.sluice.coordinator.state.StateOwner;
import io.sluice.proto.PartitionRange;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.Status;

/** Counters and histograms of the coordinator, in a registry of their own. Thread-safe. */
public final class CoordinatorMetrics implements StateOwner.Probe {
  private static final double NANOS_PER_SECOND = 1e9;

  private final CollectorRegistry registry = new CollectorRegistry(true);

  private final Counter requests =
      Counter.build(
              "sluice_coordinator_requests_total",
              "Calls answered, by call and by the status of the reply.")
          .labelNames("call", "status")
          .register(registry);
  private final Histogram requestSeconds =
      Histogram.build(
              "sluice_coordinator_request_seconds", "Time from the arrival of a call to its reply.")
          .labelNames("call")
          .buckets(0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1)
          .register(registry);
  private final Counter queueRefusals =
      Counter.build(
              "sluice_coordinator_queue_refusals_total",
              "Calls refused because the queue of the state thread was full.")
          .register(registry);
  private final Histogram queueWaitSeconds =
      Histogram.build(
              "sluice_coordinator_queue_wait_seconds",
              "How long the oldest call of each round of the state thread had waited.")
          .buckets(0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1)
          .register(registry);
  private final Counter decided =
      Counter.build("sluice_coordinator_decisions_total", "Calls decided by the state thread.")
          .register(registry);
  private final Counter partitionsAssigned =
      Counter.build(
              "sluice_coordinator_partitions_assigned_total",
              "Partitions given to servers, copies counted.")
          .register(registry);

  public CoordinatorMetrics() {
    new StandardExports().register(registry);
    new MemoryPoolsExports().register(registry);
    new BufferPoolsExports().register(registry);
    new GarbageCollectorExports().register(registry);
    new ThreadExports().register(registry);
  }

  public CollectorRegistry registry() {
    return registry;
  }

  public void answered(String call, Status status, long nanos) {
    requests.labels(call, status.name()).inc();
    requestSeconds.labels(call).observe(nanos / NANOS_PER_SECOND);
  }

  public void assigned(RegisterShuffleReply reply) {
    double copies = 0;
    for (PartitionRange range : reply.getRangesList()) {
      copies += (double) (range.getLast() - range.getFirst() + 1) * range.getServersCount();
    }
    partitionsAssigned.inc(copies);
  }

  public void queueFull() {
    queueRefusals.inc();
  }

  @Override
  public void round(int count, long oldestWaitNanos) {
    decided.inc(count);
    queueWaitSeconds.observe(oldestWaitNanos / NANOS_PER_SECOND);
  }
}
