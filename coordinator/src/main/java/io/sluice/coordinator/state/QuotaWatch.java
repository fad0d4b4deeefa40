package io.sluice.coordinator.state;

import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.quota.Denial;
import io.sluice.coordinator.quota.Quotas;
import io.sluice.coordinator.quota.Usage;
import io.sluice.coordinator.quota.UsageRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Computes the usage of quotas and the applications over a quota. Not on the state thread, because
 * an update takes tens of milliseconds with a thousand servers of 256 applications each. Used by
 * one thread.
 */
public final class QuotaWatch {
  private final Quotas quotas;
  private final Supplier<UsageRules> rules;
  private final LongSupplier serverLostAfterMs;
  private Map<String, Denial> reported = Map.of();

  /**
   * @param rules reads the rule files
   * @param serverLostAfterMs current heartbeat timeout
   */
  public QuotaWatch(Quotas quotas, Supplier<UsageRules> rules, LongSupplier serverLostAfterMs) {
    this.quotas = quotas;
    this.rules = rules;
    this.serverLostAfterMs = serverLostAfterMs;
  }

  /** Reads the rule files, and returns a record if they have changed. */
  public List<MetadataRecord> readRules() {
    UsageRules newer = rules.get();
    if (newer.equals(quotas.rules())) {
      return List.of();
    }
    quotas.rules(newer);
    return List.of(new MetadataRecord.UsageRulesChanged());
  }

  /** Updates the usage, and returns records for applications that reached or left a quota. */
  public List<MetadataRecord> update(ClusterView view, long nowMs) {
    Usage usage =
        Usage.of(view.servers(), view.applications(), serverLostAfterMs.getAsLong(), nowMs);
    Map<String, Denial> over = quotas.updateUsage(usage, name -> userOf(view, name));
    List<MetadataRecord> records = new ArrayList<>();
    over.forEach(
        (application, denial) -> {
          if (!reported.containsKey(application)) {
            records.add(new MetadataRecord.QuotaReached(application, denial));
          }
        });
    Set<String> ended = new TreeMap<>(reported).keySet();
    ended.removeAll(over.keySet());
    for (String application : ended) {
      if (userOf(view, application).isPresent()) {
        records.add(new MetadataRecord.QuotaLeft(application));
      }
    }
    reported = over;
    return records;
  }

  private static Optional<String> userOf(ClusterView view, String name) {
    return Optional.ofNullable(view.applications().get(name))
        .filter(application -> application.state() == Application.State.LIVE)
        .map(Application::user);
  }
}
