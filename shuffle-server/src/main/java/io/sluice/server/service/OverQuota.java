package io.sluice.server.service;

import io.sluice.proto.ApplicationLease;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applications over quota, whose pushes are refused because a coordinator reports that they, or
 * their users, have reached a quota. A report is valid until the coordinator's next reply; it is
 * dropped if a heartbeat to that coordinator fails. Thread-safe.
 */
public final class OverQuota {
  private static final Logger log = LoggerFactory.getLogger(OverQuota.class);

  private final Map<String, Map<String, String>> byCoordinator = new ConcurrentHashMap<>();
  private final LongAdder refused = new LongAdder();
  // Union of the reports of all coordinators; replaced as a whole.
  private volatile Map<String, String> all = Map.of();

  /** A coordinator replied to a heartbeat. */
  public void answered(String coordinator, List<ApplicationLease> leases) {
    Map<String, String> reported = new HashMap<>();
    for (ApplicationLease lease : leases) {
      if (!lease.getOverQuota().isEmpty()) {
        reported.put(lease.getApplication(), lease.getOverQuota());
      }
    }
    if (!reported.equals(byCoordinator.getOrDefault(coordinator, Map.of()))) {
      byCoordinator.put(coordinator, reported);
      combine();
    }
  }

  /** A heartbeat to a coordinator failed. */
  public void failed(String coordinator) {
    if (byCoordinator.remove(coordinator) != null) {
      combine();
    }
  }

  private synchronized void combine() {
    Map<String, String> combined = new HashMap<>();
    byCoordinator.values().forEach(combined::putAll);
    if (!combined.keySet().equals(all.keySet())) {
      log.info("set of applications over quota changed count={}", combined.size());
    }
    all = Map.copyOf(combined);
  }

  /** Reason why pushes of an application are refused, or null. */
  String reason(String application) {
    return all.get(application);
  }

  void refused() {
    refused.increment();
  }

  /** Number of applications over quota. */
  public int applications() {
    return all.size();
  }

  /** Pushed frames that were refused because of a quota. */
  public long refusedFrames() {
    return refused.sum();
  }
}
