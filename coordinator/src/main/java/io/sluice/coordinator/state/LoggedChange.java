package io.sluice.coordinator.state;

import io.sluice.common.auth.Revocation;
import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.DecommissionOrder;
import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.cluster.Fallbacks;
import io.sluice.coordinator.cluster.RemoteDirectories;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.history.ClusterEvent;
import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.coordinator.history.Event;
import io.sluice.coordinator.history.Event.Kind;
import io.sluice.coordinator.history.FinishedApplication;
import io.sluice.coordinator.history.ThroughputBatch;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A change that survives a restart: it is written to the metadata log before it is applied. A
 * change contains everything needed to apply it. It changes only the part of the view and the
 * history that {@link LoggedState} lists, so that a replay of the log restores this part.
 */
public sealed interface LoggedChange extends MetadataRecord {

  /** Applies this change to the history; by default it has no effect. */
  default void applyTo(ClusterHistory history) {}

  /**
   * A change that is applied without the log if the log cannot be written: a full disk of a
   * coordinator must not stop applications.
   */
  sealed interface AlsoWithoutLog extends LoggedChange {}

  /** A change to the history only. */
  sealed interface OfHistory extends LoggedChange {
    @Override
    default ClusterView applyTo(ClusterView view) {
      return view;
    }
  }

  /**
   * Operators changed the exclusions through the API.
   *
   * @param excluded all exclusions through the API
   */
  record ExclusionsSet(ExcludeList excluded) implements LoggedChange {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return view.with(view.orders().withApi(excluded));
    }

    @Override
    public List<Event> events(ClusterView before) {
      return MetadataRecord.exclusionEvents(before, before.orders().withApi(excluded));
    }
  }

  /** A server accepted a decommission. */
  record DecommissionOrdered(DecommissionOrder order) implements LoggedChange {
    @Override
    public ClusterView applyTo(ClusterView view) {
      ClusterView ordered = view.with(view.orders().with(order));
      Server server = view.servers().get(order.server());
      return server == null
          ? ordered
          : ordered.with(
              view.servers()
                  .with(
                      server.withState(
                          ordered.orders().effective(server.id(), server.reported()))));
    }

    @Override
    public List<Event> events(ClusterView before) {
      return List.of(
          Event.of(Kind.DECOMMISSION_ORDERED)
              .ofServer(order.server())
              .with("epoch", order.epoch())
              .with("deadlineMs", order.deadlineMs() == 0 ? "" : order.deadlineMs())
              .with("move", order.move()));
    }
  }

  /**
   * A decommission is complete, void or cancelled.
   *
   * @param cancelled whether an operator cancelled it
   */
  record DecommissionEnded(String server, boolean cancelled) implements LoggedChange {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return view.with(view.orders().withoutDecommission(server));
    }

    @Override
    public List<Event> events(ClusterView before) {
      return cancelled
          ? List.of(Event.of(Kind.DECOMMISSION_CANCELLED).ofServer(server))
          : List.of();
    }
  }

  /**
   * A driver registered its application, for the first time or again. For an application that has
   * ended, {@link ApplicationForgotten} precedes this record. Also recorded when a live application
   * gets servers for the first time.
   *
   * @param servers names of servers that have its data
   */
  record ApplicationRegistered(
      String application, String user, String clientVersion, Set<String> servers, long atMs)
      implements AlsoWithoutLog {
    public ApplicationRegistered {
      servers = Set.copyOf(servers);
    }

    /**
     * Returns a change that adds servers to a live application and does not renew its lease. A
     * coordinator that starts later must know which servers have data: leaving servers have left by
     * then.
     */
    static ApplicationRegistered withServers(Application known, Set<String> more) {
      return new ApplicationRegistered(
          known.name(), known.user(), known.clientVersion(), more, known.sinceMs());
    }

    @Override
    public ClusterView applyTo(ClusterView view) {
      Application known = view.applications().get(application);
      Application registered =
          isLive(known)
              ? known.reregistered(user, clientVersion, atMs)
              : Application.registered(application, user, clientVersion, atMs)
                  .reporting(view.fallbacks().of(application));
      return view.with(view.applications().with(registered.withServers(servers)));
    }

    @Override
    public List<Event> events(ClusterView before) {
      return isLive(before.applications().get(application))
          ? List.of()
          : List.of(
              Event.of(Kind.APPLICATION_REGISTERED)
                  .ofApplication(application)
                  .with("user", user)
                  .with("clientVersion", clientVersion));
    }

    private static boolean isLive(Application known) {
      return known != null && known.state() == Application.State.LIVE;
    }
  }

  /** The lease of an application expired. */
  record ApplicationExpired(String application, long silentMs) implements AlsoWithoutLog {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return view.with(view.applications().without(application));
    }

    @Override
    public List<Event> events(ClusterView before) {
      return List.of(
          Event.of(Kind.APPLICATION_EXPIRED).ofApplication(application).with("silentMs", silentMs));
    }
  }

  /**
   * An application ended. Also recorded for an application unknown to this coordinator, because
   * servers may have its data.
   */
  record ApplicationEnded(Application application) implements LoggedChange {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return view.with(
          view.applications().with(application), view.fallbacks().without(application.name()));
    }

    @Override
    public List<Event> events(ClusterView before) {
      return List.of(
          Event.of(Kind.APPLICATION_ENDED)
              .ofApplication(application.name())
              .with("shuffles", application.shuffleCount()));
    }
  }

  /** An ended application is removed from the table, because it is old or is registered again. */
  record ApplicationForgotten(String application) implements LoggedChange {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return view.with(
          view.applications().without(application), view.fallbacks().without(application));
    }
  }

  /** A driver reported changed fallbacks. */
  record FallbacksReported(String application, Fallbacks fallbacks) implements LoggedChange {
    @Override
    public ClusterView applyTo(ClusterView view) {
      Application known = view.applications().get(application);
      return view.with(
          known == null
              ? view.applications()
              : view.applications().with(known.reporting(fallbacks)),
          view.fallbacks().with(application, fallbacks));
    }
  }

  /**
   * Operators set limits of a user through the API.
   *
   * @param named all limits of the user by name; empty: the quota file applies again
   */
  record LimitsSet(String user, Map<String, Long> named) implements LoggedChange {
    public LimitsSet {
      named = Map.copyOf(named);
    }

    @Override
    public ClusterView applyTo(ClusterView view) {
      return view.with(view.limits().with(user, named));
    }

    @Override
    public List<Event> events(ClusterView before) {
      return List.of(
          Event.of(Kind.LIMITS_SET).with("user", user).with("limits", new TreeMap<>(named)));
    }
  }

  /**
   * The directories of a server on a remote tier have changed. A coordinator that starts after the
   * loss of a server must know them, because another server adopts them.
   */
  record RemoteDirectoriesChanged(RemoteDirectories directories) implements LoggedChange {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return view.with(view.remoteDirectories().with(directories));
    }
  }

  /** Operators revoked the tokens of a user or of an application. */
  record TokensRevoked(Revocation revocation) implements LoggedChange {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return view.with(view.orders().with(revocation));
    }

    @Override
    public List<Event> events(ClusterView before) {
      return List.of(
          Event.of(Kind.TOKENS_REVOKED)
              .with(revocation.subject().kind().text(), revocation.subject().name()));
    }
  }

  /** An event was added to the event list. */
  record EventListed(ClusterEvent event) implements OfHistory {
    @Override
    public void applyTo(ClusterHistory history) {
      history.events().add(event);
    }
  }

  /** An application ended or expired. */
  record ApplicationFinished(FinishedApplication finished) implements OfHistory {
    @Override
    public void applyTo(ClusterHistory history) {
      history.finished().add(finished);
    }
  }

  /** Throughput samples were taken. */
  record ThroughputSampled(ThroughputBatch batch) implements OfHistory {
    @Override
    public void applyTo(ClusterHistory history) {
      history.throughput().logged(batch);
    }
  }
}
