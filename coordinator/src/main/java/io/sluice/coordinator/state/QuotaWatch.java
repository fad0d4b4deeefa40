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
 * Finds out what is used, and which applications may have no more. Away from the state's thread: at
 * a thousand servers that name 256 applications each, one look takes some tens of milliseconds.
 * Belongs to the one thread that looks.
 */
public final class QuotaWatch {
  private final Quotas quotas;
  private final Supplier<UsageRules> rules;
  private final LongSupplier serverLostAfterMs;
  private Map<String, Denial> told = Map.of();

  /**
   * @param rules the operator's, read anew
   * @param serverLostAfterMs asked anew, too
   */
  public QuotaWatch(Quotas quotas, Supplier<UsageRules> rules, LongSupplier serverLostAfterMs) {
    this.quotas = quotas;
    this.rules = rules;
    this.serverLostAfterMs = serverLostAfterMs;
  }

  /** Reads the rules, and returns what is to be told of it. */
  public List<MetadataRecord> readRules() {
    UsageRules newer = rules.get();
    if (newer.equals(quotas.rules())) {
      return List.of();
    }
    quotas.rules(newer);
    return List.of(new MetadataRecord.UsageRulesChanged());
  }

  /** Adds up what is used, and returns what is to be told of it. */
  public List<MetadataRecord> look(ClusterView view, long nowMs) {
    Usage use = Usage.of(view.servers(), view.applications(), serverLostAfterMs.getAsLong(), nowMs);
    Map<String, Denial> over = quotas.use(use, name -> userOf(view, name));
    List<MetadataRecord> news = new ArrayList<>();
    over.forEach(
        (application, denial) -> {
          if (!told.containsKey(application)) {
            news.add(new MetadataRecord.QuotaReached(application, denial));
          }
        });
    Set<String> ended = new TreeMap<>(told).keySet();
    ended.removeAll(over.keySet());
    for (String application : ended) {
      if (userOf(view, application).isPresent()) {
        news.add(new MetadataRecord.QuotaLeft(application));
      }
    }
    told = over;
    return news;
  }

  private static Optional<String> userOf(ClusterView view, String name) {
    return Optional.ofNullable(view.applications().get(name))
        .filter(application -> application.state() == Application.State.LIVE)
        .map(Application::user);
  }
}
