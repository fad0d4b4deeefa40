package io.sluice.server.http;

import io.prometheus.client.Collector;
import io.sluice.metrics.LargestTenants;
import io.sluice.metrics.Metric;
import io.sluice.metrics.MetricTable;
import io.sluice.metrics.TableCollector;
import io.sluice.server.log.LeaseTable;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.service.OverQuota;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Usage of the largest applications, removed applications by reason, and quotas. Thread-safe.
 *
 * <p>Usage has gauges only: a counter of an application that leaves the set of largest applications
 * would appear to be reset.
 */
public final class TenantMetrics extends Collector {
  /** Maximum number of applications with a separate row; all others share one row. */
  static final int MAX_APPLICATIONS = 20;

  private record Use(String application, long storedBytes, long memoryBytes, int shuffles) {
    Use plus(Use other) {
      return new Use(
          application,
          storedBytes + other.storedBytes,
          memoryBytes + other.memoryBytes,
          shuffles + other.shuffles);
    }

    Use named(String name) {
      return new Use(name, storedBytes, memoryBytes, shuffles);
    }
  }

  private static final MetricTable<Use> APPLICATIONS =
      MetricTable.<Use>of(
              ServerMetrics.PREFIX + "application_",
              List.of("application"),
              use -> List.of(use.application))
          .gauge(
              "stored_bytes",
              "Bytes of the application's shuffles, in memory and on disk; the "
                  + MAX_APPLICATIONS
                  + " largest applications by name, the rest as `other`",
              Use::storedBytes)
          .gauge(
              "memory_used_bytes",
              "Bytes of the memory budget in use by the application",
              Use::memoryBytes)
          .gauge(
              "shuffles",
              "Number of shuffles of the application with data on this server",
              Use::shuffles)
          .build();

  private record Forgotten(LeaseTable.Reason reason, long count) {}

  private static final MetricTable<Forgotten> FORGOTTEN =
      MetricTable.<Forgotten>of(
              ServerMetrics.PREFIX, List.of("reason"), row -> List.of(row.reason.name()))
          .counter(
              "applications_forgotten_total",
              "Applications whose data was removed: ENDED if the driver"
                  + " unregistered the application, LEASE_OUT if its lease expired",
              Forgotten::count)
          .build();

  private static final MetricTable<OverQuota> QUOTAS =
      MetricTable.<OverQuota>of(ServerMetrics.PREFIX)
          .gauge(
              "over_quota_applications",
              "Number of applications over quota, whose pushes are refused",
              OverQuota::applications)
          .counter(
              "quota_refused_frames_total",
              "Pushed frames refused because their application or its user has reached a quota",
              OverQuota::refusedFrames)
          .build();

  private final ShuffleStore store;
  private final MemoryBudget memory;
  private final ToLongFunction<LeaseTable.Reason> forgotten;
  private final OverQuota overQuota;

  /**
   * @param forgotten number of applications that were removed for a reason
   */
  public TenantMetrics(
      ShuffleStore store,
      MemoryBudget memory,
      ToLongFunction<LeaseTable.Reason> forgotten,
      OverQuota overQuota) {
    this.store = store;
    this.memory = memory;
    this.forgotten = forgotten;
    this.overQuota = overQuota;
  }

  static List<Metric> metrics() {
    return Stream.of(APPLICATIONS.metrics(), FORGOTTEN.metrics(), QUOTAS.metrics())
        .flatMap(List::stream)
        .toList();
  }

  @Override
  public List<MetricFamilySamples> collect() {
    List<Forgotten> reasons =
        Arrays.stream(LeaseTable.Reason.values())
            .map(reason -> new Forgotten(reason, forgotten.applyAsLong(reason)))
            .toList();
    List<MetricFamilySamples> all =
        new ArrayList<>(TableCollector.families(APPLICATIONS, largest()));
    all.addAll(TableCollector.families(FORGOTTEN, reasons));
    all.addAll(TableCollector.families(QUOTAS, List.of(overQuota)));
    return all;
  }

  private List<Use> largest() {
    Map<String, Use> uses = new HashMap<>();
    for (ShuffleLog log : store.logs()) {
      String application = log.key().application();
      uses.merge(application, new Use(application, log.storedBytes(), 0, 1), Use::plus);
    }
    uses.replaceAll(
        (application, use) ->
            new Use(application, use.storedBytes, memory.usedBytes(application), use.shuffles));
    List<Use> rows = new ArrayList<>();
    LargestTenants.of(uses, MAX_APPLICATIONS, Use::storedBytes, Use::plus)
        .forEach((name, use) -> rows.add(use.named(name)));
    return rows;
  }
}
