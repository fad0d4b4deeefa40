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
 * The applications of which nothing more is taken, because a coordinator says that they, or their
 * users, have reached a quota. A coordinator's word holds until its next one; while it does not
 * answer it says nothing. Thread-safe.
 */
public final class OverQuota {
  private static final Logger log = LoggerFactory.getLogger(OverQuota.class);

  private final Map<String, Map<String, String>> byCoordinator = new ConcurrentHashMap<>();
  private final LongAdder refused = new LongAdder();
  // All coordinators together; replaced as a whole.
  private volatile Map<String, String> all = Map.of();

  /** A coordinator has answered a heartbeat. */
  public void answered(String coordinator, List<ApplicationLease> leases) {
    Map<String, String> said = new HashMap<>();
    for (ApplicationLease lease : leases) {
      if (!lease.getOverQuota().isEmpty()) {
        said.put(lease.getApplication(), lease.getOverQuota());
      }
    }
    if (!said.equals(byCoordinator.getOrDefault(coordinator, Map.of()))) {
      byCoordinator.put(coordinator, said);
      combine();
    }
  }

  /** A coordinator did not answer. */
  public void failed(String coordinator) {
    if (byCoordinator.remove(coordinator) != null) {
      combine();
    }
  }

  private synchronized void combine() {
    Map<String, String> combined = new HashMap<>();
    byCoordinator.values().forEach(combined::putAll);
    if (!combined.keySet().equals(all.keySet())) {
      log.info("applications over quota changed count={}", combined.size());
    }
    all = Map.copyOf(combined);
  }

  /** Why nothing more is taken of an application, or null. */
  String reason(String application) {
    return all.get(application);
  }

  void refused() {
    refused.increment();
  }

  /** Applications of which nothing more is taken. */
  public int applications() {
    return all.size();
  }

  /** Pushed frames that were refused for it. */
  public long refusedFrames() {
    return refused.sum();
  }
}
