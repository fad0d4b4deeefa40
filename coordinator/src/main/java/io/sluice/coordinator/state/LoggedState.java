package io.sluice.coordinator.state;

import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.coordinator.history.ThroughputBatch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The part of the state that survives a restart, as the shortest list of changes that restores it:
 * the contents of a snapshot. Equal states have equal lists. Pure functions.
 */
final class LoggedState {
  private LoggedState() {}

  static List<LoggedChange> of(ClusterView view, ClusterHistory history) {
    List<LoggedChange> all = new ArrayList<>();
    if (view.orders().excludedByApi().size() > 0) {
      all.add(new LoggedChange.ExclusionsSet(view.orders().excludedByApi()));
    }
    view.orders()
        .decommissions()
        .values()
        .forEach(order -> all.add(new LoggedChange.DecommissionOrdered(order)));
    List<Application> applications = new ArrayList<>();
    view.applications().forEach(applications::add);
    applications.sort(Comparator.comparing(Application::name));
    applications.forEach(application -> all.add(change(application)));
    view.fallbacks()
        .all()
        .forEach((name, reported) -> all.add(new LoggedChange.FallbacksReported(name, reported)));
    view.limits().all().forEach((user, named) -> all.add(new LoggedChange.LimitsSet(user, named)));
    view.orders()
        .revocations()
        .all()
        .forEach(revocation -> all.add(new LoggedChange.TokensRevoked(revocation)));
    view.remoteDirectories()
        .all()
        .forEach(directories -> all.add(new LoggedChange.RemoteDirectoriesChanged(directories)));
    history.events().all().forEach(event -> all.add(new LoggedChange.EventListed(event)));
    history
        .finished()
        .all()
        .forEach(finished -> all.add(new LoggedChange.ApplicationFinished(finished)));
    ThroughputBatch samples = history.throughput().allLogged();
    if (!samples.cluster().isEmpty()) {
      all.add(new LoggedChange.ThroughputSampled(samples));
    }
    return all;
  }

  private static LoggedChange change(Application application) {
    return switch (application.state()) {
      case LIVE ->
          new LoggedChange.ApplicationRegistered(
              application.name(),
              application.user(),
              application.clientVersion(),
              application.servers(),
              application.registeredAtMs());
      case ENDED -> new LoggedChange.ApplicationEnded(application);
    };
  }

  /** Returns the newest time in the changes, on the clock of the state; 0: none. */
  static long newestMs(List<LoggedChange> changes) {
    long newestMs = 0;
    for (LoggedChange change : changes) {
      long atMs = 0;
      if (change instanceof LoggedChange.ApplicationEnded ended) {
        atMs = ended.application().sinceMs();
      } else if (change instanceof LoggedChange.ApplicationRegistered registered) {
        atMs = registered.atMs();
      } else if (change instanceof LoggedChange.DecommissionOrdered ordered) {
        atMs = ordered.order().orderedAtMs();
      } else if (change instanceof LoggedChange.ThroughputSampled sampled) {
        int samples = sampled.batch().cluster().size();
        atMs = samples == 0 ? 0 : sampled.batch().cluster().get(samples - 1).atMs();
      }
      newestMs = Math.max(newestMs, atMs);
    }
    return newestMs;
  }
}
