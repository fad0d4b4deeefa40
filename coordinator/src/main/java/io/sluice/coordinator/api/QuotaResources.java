package io.sluice.coordinator.api;

import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.quota.Denial;
import io.sluice.coordinator.quota.Limits;
import io.sluice.coordinator.quota.Quotas;
import io.sluice.coordinator.quota.Usage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Resources of quotas and their usage. Thread-safe. */
final class QuotaResources {
  private final Quotas quotas;

  QuotaResources(Quotas quotas) {
    this.quotas = quotas;
  }

  /** Returns the quotas of every user with a live application, by name. */
  Resource.Quotas quotas(RequestState request) {
    Map<String, List<String>> live = new TreeMap<>();
    request
        .view()
        .applications()
        .forEach(
            application -> {
              if (application.state() == Application.State.LIVE) {
                live.computeIfAbsent(application.user(), user -> new ArrayList<>())
                    .add(application.name());
              }
            });
    List<Resource.UserQuota> users = new ArrayList<>();
    live.forEach((user, applications) -> users.add(user(user, applications)));
    Map<String, Resource.LimitsOrder> set = new TreeMap<>();
    request
        .view()
        .limits()
        .all()
        .forEach((user, named) -> set.put(user, Resource.LimitsOrder.of(named)));
    return new Resource.Quotas(request.time(), users, set);
  }

  private Resource.UserQuota user(String user, List<String> applications) {
    Limits limits = quotas.limits(user);
    Usage.Amount used = quotas.usage().ofUser(user);
    return new Resource.UserQuota(
        user,
        new Resource.Quota(applications.size(), limit(limits.applications())),
        new Resource.Quota(used.bytes(), limit(limits.userBytes())),
        new Resource.Quota(used.partitions(), limit(limits.userPartitions())),
        limit(limits.applicationBytes()),
        limit(limits.applicationPartitions()),
        applications.stream()
            .filter(name -> quotas.overQuota(name).isPresent())
            .sorted()
            .map(name -> new Resource.OverQuota(name, why(name)))
            .toList());
  }

  private String why(String application) {
    return quotas.overQuota(application).map(Denial::message).orElse("");
  }

  private static Long limit(long max) {
    return max < 0 ? null : max;
  }
}
