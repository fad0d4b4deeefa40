package io.sluice.server.http;

import io.prometheus.client.Collector;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.net.PeerConnections;
import io.sluice.metrics.DeniedCalls;
import io.sluice.metrics.Metric;
import io.sluice.metrics.MetricTable;
import io.sluice.metrics.PortConnections;
import io.sluice.metrics.TableCollector;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.net.ShortCircuitCounters;
import io.sluice.server.read.DiskReadCounters;
import io.sluice.server.read.ReadBudget;
import io.sluice.transport.server.RequestMemory;
import io.sluice.transport.server.TransportCounters;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.stream.Stream;

/** Metrics of connections, of file reads, and of memory for requests and replies. Thread-safe. */
public final class TrafficMetrics extends Collector {
  private static final MetricTable<TransportCounters> CONNECTIONS =
      MetricTable.<TransportCounters>of(ServerMetrics.PREFIX)
          .gauge(
              "connections_paused",
              "Number of connections whose reading is paused because no memory is"
                  + " free for their pushes",
              TransportCounters::pausedConnections)
          .counter(
              "connections_accepted_total",
              "Data connections that were accepted",
              TransportCounters::acceptedConnections)
          .counter(
              "connections_refused_total",
              "Data connections refused because of a connection limit",
              TransportCounters::refusedConnections)
          .counter(
              "protocol_errors_total",
              "Data connections closed because of a protocol error",
              TransportCounters::protocolErrors)
          .counter(
              "connection_timeouts_total",
              "Data connections closed because of a timeout of the peer",
              TransportCounters::timeouts)
          .build();

  /** Connections refused for one reason. */
  private record Denied(TransportCounters.Denial why, long count) {}

  private static final MetricTable<Denied> DENIED =
      MetricTable.<Denied>of(
              ServerMetrics.PREFIX, List.of("reason"), row -> List.of(row.why.name()))
          .counter(
              "connections_denied_total",
              "Data connections refused because of the limit of all connections"
                  + " (TOTAL), of one client address (PEER) or of one application (APPLICATION),"
                  + " or because of failed authentication (PROOF)",
              Denied::count)
          .build();

  private static final MetricTable<PeerConnections> RPC =
      PortConnections.table(ServerMetrics.PREFIX + "rpc_", "gRPC");

  private static final MetricTable<DeniedCalls> DENIED_CALLS =
      DeniedCalls.table(ServerMetrics.PREFIX + "rpc_", "gRPC");

  private static final MetricTable<PeerConnections> HTTP =
      PortConnections.table(ServerMetrics.PREFIX + "http_", "HTTP");

  private static final MetricTable<DiskReadCounters> READS =
      MetricTable.<DiskReadCounters>of(ServerMetrics.PREFIX + "file_")
          .counter(
              "cached_bytes_total",
              "Bytes of run files sent from the page cache without a disk read",
              DiskReadCounters::cachedBytes)
          .counter(
              "read_bytes_total",
              "Bytes of run files read from disks for fetches",
              DiskReadCounters::readBytes)
          .counter(
              "read_ahead_bytes_total",
              "Bytes of run files read ahead of a fetch",
              DiskReadCounters::aheadBytes)
          .counter("read_failures_total", "Disk reads that failed", DiskReadCounters::failures)
          .counter("read_timeouts_total", "Disk reads that timed out", DiskReadCounters::timeouts)
          .counter(
              "read_refusals_total",
              "Disk reads refused because the disk was stalled or its queue was full",
              DiskReadCounters::refusals)
          .build();

  private static final MetricTable<ShortCircuitCounters> SHORT_CIRCUITS =
      MetricTable.<ShortCircuitCounters>of(ServerMetrics.PREFIX + "short_circuit_")
          .counter(
              "connections_total",
              "Connections accepted on the socket for short-circuit reads",
              ShortCircuitCounters::connections)
          .gauge(
              "open_connections",
              "Number of open connections to the socket for short-circuit reads",
              ShortCircuitCounters::openConnections)
          .counter(
              "denied_connections_total",
              "Connections to the socket for short-circuit reads that were closed"
                  + " because of a connection limit, an invalid or denied request, or a timeout",
              ShortCircuitCounters::deniedConnections)
          .counter(
              "files_total",
              "Descriptors of run files sent to readers on this host",
              ShortCircuitCounters::files)
          .build();

  private static final MetricTable<TrafficMetrics> WAITS =
      MetricTable.<TrafficMetrics>of(ServerMetrics.PREFIX)
          .gauge(
              "memory_waiters",
              "Number of push frames that wait for memory",
              metrics -> metrics.memory.waitingCount())
          .gauge(
              "memory_allocatable_bytes",
              "Bytes of the memory budget that the JVM allows to allocate. Less"
                  + " than sluice_server_memory_max_bytes after the JVM refused direct memory,"
                  + " until a retry succeeds",
              metrics -> metrics.memory.allocatableBytes())
          .gauge(
              "read_budget_used_bytes",
              "Bytes of the read budget in use, for replies to fetches that are being read or sent",
              metrics -> metrics.readBudget.usedBytes())
          .gauge(
              "read_budget_max_bytes",
              "Capacity of the read budget, in bytes",
              metrics -> metrics.readBudget.capacityBytes())
          .gauge(
              "request_memory_used_bytes",
              "Bytes of heap in use for requests, and for replies to Open that are not sent yet",
              metrics -> metrics.requestMemory.usedBytes())
          .gauge(
              "request_memory_max_bytes",
              "Capacity of the memory for requests, in bytes: an eighth of the heap",
              metrics -> metrics.requestMemory.capacityBytes())
          .gauge(
              "event_loop_pending_tasks",
              "Number of tasks queued for the event loops of the data connections",
              metrics -> metrics.pendingTasks.getAsInt())
          .build();

  private final TransportCounters connections;
  private final PeerConnections rpc;
  private final CallDenials deniedCalls;
  private final PeerConnections http;
  private final DiskReadCounters reads;
  private final ShortCircuitCounters shortCircuits;
  private final MemoryBudget memory;
  private final ReadBudget readBudget;
  private final RequestMemory requestMemory;
  private final IntSupplier pendingTasks;

  /**
   * @param pendingTasks number of tasks queued for the event loops of the data connections
   */
  public TrafficMetrics(
      TransportCounters connections,
      PeerConnections rpc,
      CallDenials deniedCalls,
      PeerConnections http,
      DiskReadCounters reads,
      ShortCircuitCounters shortCircuits,
      MemoryBudget memory,
      ReadBudget readBudget,
      RequestMemory requestMemory,
      IntSupplier pendingTasks) {
    this.connections = connections;
    this.rpc = rpc;
    this.deniedCalls = deniedCalls;
    this.http = http;
    this.reads = reads;
    this.shortCircuits = shortCircuits;
    this.memory = memory;
    this.readBudget = readBudget;
    this.requestMemory = requestMemory;
    this.pendingTasks = pendingTasks;
  }

  static List<Metric> metrics() {
    return Stream.of(
            CONNECTIONS.metrics(),
            DENIED.metrics(),
            RPC.metrics(),
            DENIED_CALLS.metrics(),
            HTTP.metrics(),
            READS.metrics(),
            SHORT_CIRCUITS.metrics(),
            WAITS.metrics())
        .flatMap(List::stream)
        .toList();
  }

  @Override
  public List<MetricFamilySamples> collect() {
    List<MetricFamilySamples> all =
        new ArrayList<>(TableCollector.families(CONNECTIONS, List.of(connections)));
    all.addAll(
        TableCollector.families(
            DENIED,
            Arrays.stream(TransportCounters.Denial.values())
                .map(why -> new Denied(why, connections.denied(why)))
                .toList()));
    all.addAll(TableCollector.families(RPC, List.of(rpc)));
    all.addAll(TableCollector.families(DENIED_CALLS, DeniedCalls.rows(deniedCalls)));
    all.addAll(TableCollector.families(HTTP, List.of(http)));
    all.addAll(TableCollector.families(READS, List.of(reads)));
    all.addAll(TableCollector.families(SHORT_CIRCUITS, List.of(shortCircuits)));
    all.addAll(TableCollector.families(WAITS, List.of(this)));
    return all;
  }
}
