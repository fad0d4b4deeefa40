package io.sluice.coordinator.http;

import io.netty.buffer.PooledByteBufAllocator;
import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.auth.CertificateExpiry;
import io.sluice.common.net.PeerConnections;
import io.sluice.coordinator.state.LoggedChange;
import io.sluice.coordinator.state.MetadataRecord;
import io.sluice.coordinator.state.StateLog;
import io.sluice.coordinator.state.StateOwner;
import io.sluice.metrics.DeniedCalls;
import io.sluice.metrics.Instruments;
import io.sluice.metrics.Metric;
import io.sluice.metrics.MetricTable;
import io.sluice.metrics.PortConnections;
import io.sluice.metrics.ProcessMetrics;
import io.sluice.metrics.TableCollector;
import io.sluice.proto.PartitionRange;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.Status;
import java.util.List;
import java.util.stream.Stream;

/** Counters and histograms of the coordinator. Thread-safe. */
public final class CoordinatorMetrics implements StateOwner.Probe, StateLog.Probe {
  static final String PREFIX = "sluice_coordinator_";

  private static final double NANOS_PER_SECOND = 1e9;

  /** Calls that access rules and quotas deny. */
  private static final List<String> DENIED_BY_RULES =
      List.of("RegisterApplication", "RegisterShuffle");

  /** A decision takes microseconds; durations above some milliseconds are queueing time. */
  private static final List<Double> CALL_BUCKETS =
      List.of(0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1.0);

  /** A sync takes less than 1 ms on an SSD and about 10 ms on an HDD. */
  private static final List<Double> APPEND_BUCKETS =
      List.of(0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5);

  private static final Metric REQUESTS =
      Metric.counter(
          PREFIX + "requests_total",
          "Calls answered, by call and status of the reply",
          "call",
          "status");
  private static final Metric REQUEST_SECONDS =
      Metric.histogram(
          PREFIX + "request_seconds",
          "Time from the arrival of a call to its reply",
          CALL_BUCKETS,
          "call");
  private static final Metric QUEUE_REFUSALS =
      Metric.counter(
          PREFIX + "queue_refusals_total",
          "Calls refused because the queue of the state thread was full");
  private static final Metric QUEUE_WAIT_SECONDS =
      Metric.histogram(
          PREFIX + "queue_wait_seconds",
          "Queueing time of the oldest call in each round of the state thread",
          CALL_BUCKETS);
  private static final Metric DECISIONS =
      Metric.counter(PREFIX + "decisions_total", "Calls decided by the state thread");
  private static final Metric PARTITIONS_ASSIGNED =
      Metric.counter(
          PREFIX + "partitions_assigned_total", "Partitions assigned to servers, replicas counted");
  private static final Metric APPLICATIONS_EXPIRED =
      Metric.counter(
          PREFIX + "applications_expired_total",
          "Applications whose lease expired because their driver did not renew it");
  private static final Metric SERVERS_LOST =
      Metric.counter(
          PREFIX + "servers_lost_total",
          "Servers lost: their heartbeats stopped without a decommission");
  private static final Metric DENIED =
      Metric.counter(
          PREFIX + "denied_total",
          "Applications and shuffles denied by access rules or quotas, which use the built-in"
              + " shuffle, by cause",
          "what",
          "cause");
  private static final Metric QUOTAS_REACHED =
      Metric.counter(
          PREFIX + "quotas_reached_total",
          "Applications that reached a quota, so that servers refuse their pushes, by cause",
          "cause");
  private static final Metric WRONG_RECEIPTS =
      Metric.counter(
          PREFIX + "wrong_receipts_total",
          "Map attempts, in one partition each, of which a reader got other records than the"
              + " attempt wrote, as drivers and application masters reported");
  private static final Metric LOG_APPEND_SECONDS =
      Metric.histogram(
          PREFIX + "log_append_seconds",
          "Time to write one batch of records to the metadata log, including the disk sync",
          APPEND_BUCKETS);
  private static final Metric LOG_APPENDED_BYTES =
      Metric.counter(
          PREFIX + "log_appended_bytes_total", "Bytes of records appended to the metadata log");
  private static final Metric LOG_APPENDED_RECORDS =
      Metric.counter(PREFIX + "log_appended_records_total", "Records appended to the metadata log");
  private static final Metric LOG_FAILURES =
      Metric.counter(
          PREFIX + "log_failures_total",
          "Failed writes of batches and snapshots to the metadata log");
  private static final MetricTable<StateLog> LOG =
      MetricTable.<StateLog>of(PREFIX + "log_")
          .gauge(
              "records_bytes",
              "Bytes of metadata log records after the snapshot",
              StateLog::recordBytes)
          .gauge(
              "snapshot_bytes",
              "Bytes of the snapshot of the metadata log",
              StateLog::snapshotBytes)
          .gauge(
              "writable",
              "1 if the last write to the metadata log succeeded, otherwise 0",
              log -> log.problem().isEmpty() ? 1 : 0)
          .build();
  private static final MetricTable<PeerConnections> CONNECTIONS =
      PortConnections.table(PREFIX, "gRPC");
  private static final MetricTable<PeerConnections> HTTP_CONNECTIONS =
      PortConnections.table(PREFIX + "http_", "HTTP");
  private static final MetricTable<DeniedCalls> DENIED_CALLS = DeniedCalls.table(PREFIX, "gRPC");
  private static final MetricTable<DeniedCalls> DENIED_HTTP_CALLS =
      DeniedCalls.table(PREFIX + "http_", "HTTP");
  private static final MetricTable<CertificateExpiry> CERTIFICATES =
      MetricTable.<CertificateExpiry>of(PREFIX)
          .gauge(
              "certificate_expiry_seconds",
              "Unix time of the earliest expiry of the certificates in use: identity, authorities"
                  + " and TLS; 0 without certificates",
              certificates -> certificates.earliestMs() / 1000.0)
          .build();
  private static final ProcessMetrics PROCESS = new ProcessMetrics(PREFIX);

  private final CollectorRegistry registry = new CollectorRegistry(true);
  private final Counter requests = counter(REQUESTS);
  private final Histogram requestSeconds = histogram(REQUEST_SECONDS);
  private final Counter queueRefusals = counter(QUEUE_REFUSALS);
  private final Histogram queueWaitSeconds = histogram(QUEUE_WAIT_SECONDS);
  private final Counter decisions = counter(DECISIONS);
  private final Counter partitionsAssigned = counter(PARTITIONS_ASSIGNED);
  private final Counter applicationsExpired = counter(APPLICATIONS_EXPIRED);
  private final Counter serversLost = counter(SERVERS_LOST);
  private final Counter denied = counter(DENIED);
  private final Counter quotasReached = counter(QUOTAS_REACHED);
  private final Counter wrongReceipts = counter(WRONG_RECEIPTS);
  private final Histogram logAppendSeconds = histogram(LOG_APPEND_SECONDS);
  private final Counter logAppendedBytes = counter(LOG_APPENDED_BYTES);
  private final Counter logAppendedRecords = counter(LOG_APPENDED_RECORDS);
  private final Counter logFailures = counter(LOG_FAILURES);

  /**
   * @param connections connections to the gRPC port
   * @param httpConnections connections to the HTTP port
   * @param denials denied calls of the gRPC port
   * @param httpDenials denied requests of the HTTP port
   */
  public CoordinatorMetrics(
      PeerConnections connections,
      PeerConnections httpConnections,
      CallDenials denials,
      CallDenials httpDenials) {
    // Exposed with 0 from the start: Prometheus sees no increase if a counter appears with 1, so
    // the alert would miss the first denial.
    DENIED_BY_RULES.forEach(call -> requests.labels(call, Status.DENIED.name()));
    registry.register(new TableCollector<>(CONNECTIONS, () -> List.of(connections)));
    registry.register(new TableCollector<>(HTTP_CONNECTIONS, () -> List.of(httpConnections)));
    registry.register(new TableCollector<>(DENIED_CALLS, () -> DeniedCalls.rows(denials)));
    registry.register(new TableCollector<>(DENIED_HTTP_CALLS, () -> DeniedCalls.rows(httpDenials)));
  }

  /** Every metric of a coordinator except the JVM metrics. */
  public static List<Metric> metrics() {
    return Stream.of(
            StateCollector.metrics(),
            List.of(
                REQUESTS,
                REQUEST_SECONDS,
                QUEUE_REFUSALS,
                QUEUE_WAIT_SECONDS,
                DECISIONS,
                PARTITIONS_ASSIGNED,
                APPLICATIONS_EXPIRED,
                SERVERS_LOST,
                DENIED,
                QUOTAS_REACHED,
                WRONG_RECEIPTS,
                LOG_APPEND_SECONDS,
                LOG_APPENDED_BYTES,
                LOG_APPENDED_RECORDS,
                LOG_FAILURES),
            LOG.metrics(),
            CONNECTIONS.metrics(),
            HTTP_CONNECTIONS.metrics(),
            DENIED_CALLS.metrics(),
            DENIED_HTTP_CALLS.metrics(),
            CERTIFICATES.metrics(),
            PROCESS.metrics())
        .flatMap(List::stream)
        .toList();
  }

  /**
   * Adds the metrics of the JVM. They listen to its garbage collectors until it ends, so this is
   * for the one coordinator of a process.
   */
  public void observeProcess() {
    PROCESS.register(registry, PooledByteBufAllocator.DEFAULT);
  }

  public CollectorRegistry registry() {
    return registry;
  }

  public void answered(String call, Status status, long nanos) {
    requests.labels(call, status.name()).inc();
    requestSeconds.labels(call).observe(nanos / NANOS_PER_SECOND);
  }

  public void assigned(RegisterShuffleReply reply) {
    double replicas = 0;
    for (PartitionRange range : reply.getRangesList()) {
      replicas += (double) (range.getLast() - range.getFirst() + 1) * range.getServersCount();
    }
    partitionsAssigned.inc(replicas);
  }

  public void queueFull() {
    queueRefusals.inc();
  }

  /** Counts a state change. */
  public void changed(MetadataRecord record) {
    if (record instanceof MetadataRecord.Denied refusal) {
      boolean whole = refusal.shuffle() == MetadataRecord.Denied.NO_SHUFFLE;
      denied.labels(whole ? "application" : "shuffle", refusal.denial().cause().name()).inc();
    } else if (record instanceof MetadataRecord.QuotaReached reached) {
      quotasReached.labels(reached.denial().cause().name()).inc();
    } else if (record instanceof MetadataRecord.ReceiptsWrong wrong) {
      wrongReceipts.inc(wrong.attempts());
    }
  }

  /** Adds the metrics of a metadata log. */
  public void observe(StateLog log) {
    registry.register(new TableCollector<>(LOG, () -> List.of(log)));
  }

  /** Adds the metric of certificates. */
  public void observe(CertificateExpiry certificates) {
    registry.register(new TableCollector<>(CERTIFICATES, () -> List.of(certificates)));
  }

  @Override
  public void appended(int records, long bytes, long nanos) {
    logAppendSeconds.observe(nanos / NANOS_PER_SECOND);
    logAppendedBytes.inc((double) bytes);
    logAppendedRecords.inc(records);
  }

  @Override
  public void failed() {
    logFailures.inc();
  }

  @Override
  public void round(int count, long oldestWaitNanos) {
    decisions.inc(count);
    queueWaitSeconds.observe(oldestWaitNanos / NANOS_PER_SECOND);
  }

  @Override
  public void timedOut(List<MetadataRecord> records) {
    for (MetadataRecord record : records) {
      if (record instanceof LoggedChange.ApplicationExpired) {
        applicationsExpired.inc();
      } else if (record instanceof MetadataRecord.ServerLost) {
        serversLost.inc();
      }
    }
  }

  private Counter counter(Metric metric) {
    return Instruments.counter(metric).register(registry);
  }

  private Histogram histogram(Metric metric) {
    return Instruments.histogram(metric).register(registry);
  }
}
