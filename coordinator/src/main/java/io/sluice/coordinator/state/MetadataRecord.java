package io.sluice.coordinator.state;

import io.sluice.coordinator.assign.PartitionSize;
import io.sluice.coordinator.cluster.Application;
import io.sluice.coordinator.cluster.ApplicationTable;
import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.cluster.Moves;
import io.sluice.coordinator.cluster.OperatorOrders;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.TaskReport;
import io.sluice.coordinator.history.Event;
import io.sluice.coordinator.history.Event.Kind;
import io.sluice.coordinator.history.Receipts;
import io.sluice.coordinator.quota.Denial;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleMove;
import io.sluice.proto.Status;
import io.sluice.proto.StoredData;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * One change of the coordinator's state. Applying a record depends on the record and the view only:
 * no clock, no I/O, no randomness. {@link LoggedChange}s survive a restart. The changes in this
 * file are in memory only, because heartbeats and calls of drivers repeat them.
 */
public sealed interface MetadataRecord permits MetadataRecord.InMemory, LoggedChange {

  /** Returns the view after this change. */
  ClusterView applyTo(ClusterView view);

  /**
   * Returns the events of this change; empty by default.
   *
   * @param before the view before this change
   */
  default List<Event> events(ClusterView before) {
    return List.of();
  }

  /** A change that does not survive a restart. */
  sealed interface InMemory extends MetadataRecord {}

  /** A record with events that does not change the state. */
  sealed interface Notice extends InMemory {
    @Override
    default ClusterView applyTo(ClusterView view) {
      return view;
    }
  }

  /** A server sent a heartbeat. */
  record ServerReported(
      ServerId id,
      ServerState state,
      ServerLoad load,
      StoredData stored,
      List<String> tags,
      long atMs)
      implements InMemory {
    @Override
    public ClusterView applyTo(ClusterView view) {
      Server known = view.servers().get(id.getName());
      Server server =
          Server.reporting(id, view.orders().effective(id, state), load, stored, tags, atMs);
      return view.with(view.servers().with(server), updated(view.partitionSize(), known));
    }

    private PartitionSize updated(PartitionSize size, Server known) {
      if (known == null || isRestarted(known)) {
        return size;
      }
      double pushedBytes =
          (double) load.getPushBytesPerSecond() * (atMs - known.heartbeatAtMs()) / 1000;
      return size.observed(pushedBytes, known.assignedSinceHeartbeat());
    }

    private boolean isRestarted(Server known) {
      return known.id().getEpoch() != id.getEpoch();
    }

    @Override
    public List<Event> events(ClusterView before) {
      Server known = before.servers().get(id.getName());
      boolean same = known != null && !isRestarted(known);
      List<Event> events = new ArrayList<>();
      Event change = change(known, before.orders().effective(id, state));
      if (change != null) {
        events.add(change);
      }
      events.addAll(
          DiskEvents.between(
              id.getName(), same ? known.load().getDisksList() : List.of(), load.getDisksList()));
      return events;
    }

    private Event change(Server known, ServerState now) {
      if (known == null) {
        return event(Kind.SERVER_JOINED, now).with("tags", tags);
      }
      if (isRestarted(known)) {
        return event(Kind.SERVER_RESTARTED, now).with("earlierEpoch", known.id().getEpoch());
      }
      if (known.liveness() == Server.Liveness.LOST) {
        return event(Kind.SERVER_RETURNED, now).with("silentMs", atMs - known.heartbeatAtMs());
      }
      return known.reported() == now
          ? null
          : event(Kind.SERVER_STATE_CHANGED, now).with("earlierState", known.reported());
    }

    private Event event(Kind kind, ServerState now) {
      return Event.of(kind).ofServer(id.getName()).with("epoch", id.getEpoch()).with("state", now);
    }
  }

  /** A driver reported map attempts whose records did not match their receipts. */
  record ReceiptsWrong(String application, int attempts) implements Notice {
    @Override
    public List<Event> events(ClusterView before) {
      return List.of(
          Event.of(Kind.RECEIPTS_WRONG).ofApplication(application).with("attempts", attempts));
    }
  }

  /**
   * A driver reported the receipts of its latest shuffles.
   *
   * @param receipts by number of the shuffle
   */
  record ReceiptsReported(String application, Map<Integer, Receipts> receipts) implements Notice {
    public ReceiptsReported {
      receipts = Map.copyOf(receipts);
    }
  }

  /** A driver reported what its tasks transferred and waited for. */
  record TasksReported(String application, TaskReport report) implements Notice {}

  /** A server sent no heartbeat within the timeout. */
  record ServerLost(String server, long epoch, long silentMs) implements InMemory {
    @Override
    public ClusterView applyTo(ClusterView view) {
      Server known = view.servers().get(server);
      return known == null ? view : view.with(view.servers().with(known.lost()));
    }

    @Override
    public List<Event> events(ClusterView before) {
      return List.of(
          Event.of(Kind.SERVER_LOST)
              .ofServer(server)
              .with("epoch", epoch)
              .with("silentMs", silentMs));
    }
  }

  /** A lost server is removed from the table. */
  record ServerForgotten(String server) implements InMemory {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return view.with(view.servers().without(server));
    }

    @Override
    public List<Event> events(ClusterView before) {
      return List.of(Event.of(Kind.SERVER_FORGOTTEN).ofServer(server));
    }
  }

  /** A decommissioned server reported that it leaves. */
  record ServerLeft(String server, long epoch) implements InMemory {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return view.with(view.servers().without(server));
    }

    @Override
    public List<Event> events(ClusterView before) {
      return List.of(Event.of(Kind.SERVER_LEFT).ofServer(server).with("epoch", epoch));
    }
  }

  /** The exclude file has changed. Not logged, because it is read again after a restart. */
  record ExcludeFileChanged(ExcludeList excluded) implements InMemory {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return view.with(view.orders().withFile(excluded));
    }

    @Override
    public List<Event> events(ClusterView before) {
      return exclusionEvents(before, before.orders().withFile(excluded));
    }
  }

  /** Returns the events of a change of exclusions. */
  static List<Event> exclusionEvents(ClusterView before, OperatorOrders after) {
    ExcludeList excluded = after.excluded();
    List<Event> events = new ArrayList<>();
    events.add(
        Event.of(Kind.EXCLUSIONS_CHANGED).with("count", excluded.size()).with("servers", excluded));
    for (Server server : before.servers().all()) {
      boolean nowExcluded = excluded.excludes(server.id());
      if (before.excluded().excludes(server.id()) != nowExcluded) {
        events.add(
            Event.of(nowExcluded ? Kind.SERVER_EXCLUDED : Kind.SERVER_INCLUDED)
                .ofServer(server.name()));
      }
    }
    return events;
  }

  /** The configuration was reloaded; the view does not contain it. */
  record ConfigurationReloaded(String changes) implements Notice {
    @Override
    public List<Event> events(ClusterView before) {
      return List.of(Event.of(Kind.CONFIGURATION_RELOADED).with("changes", changes));
    }
  }

  /** A driver renewed the lease of its application. */
  record LeaseRenewed(String application, long atMs) implements InMemory {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return changed(view, application, known -> known.renewed(atMs));
    }
  }

  /**
   * Servers were assigned to a shuffle.
   *
   * @param replicasWanted requested replicas of each partition
   * @param replicas assigned replicas of each partition
   * @param partitionsByServer number of partitions by server, replicas counted
   * @param shufflesRemembered maximum number of shuffles that are remembered per application
   */
  record ShuffleAssigned(
      String application,
      int shuffle,
      int partitionCount,
      int replicasWanted,
      int replicas,
      Map<String, Integer> partitionsByServer,
      int shufflesRemembered)
      implements InMemory {
    @Override
    public ClusterView applyTo(ClusterView view) {
      Application known = view.applications().get(application);
      ApplicationTable changed =
          known == null
              ? view.applications()
              : view.applications()
                  .with(
                      known
                          .withShuffle(shuffle, partitionCount, shufflesRemembered)
                          .withServers(partitionsByServer.keySet()));
      return view.assigned(view.servers().assigned(partitionsByServer), changed);
    }

    @Override
    public List<Event> events(ClusterView before) {
      boolean few = replicas < replicasWanted;
      return List.of(
          Event.of(few ? Kind.SHUFFLE_SHORT_OF_COPIES : Kind.SHUFFLE_ASSIGNED)
              .ofApplication(application)
              .with("shuffle", shuffle)
              .with("partitions", partitionCount)
              .with("replicas", replicas)
              .with("servers", partitionsByServer.size())
              .with("replicasWanted", few ? replicasWanted : ""));
    }
  }

  /**
   * A server was chosen to receive a shuffle of a leaving server.
   *
   * @param partitions number of moved partitions
   */
  record MoveTargetChosen(String target, int partitions) implements InMemory {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return view.with(view.servers().assigned(Map.of(target, partitions)));
    }
  }

  /** A leaving server moves shuffles of an application to other servers. */
  record MovesReported(String application, List<ShuffleMove> moves) implements InMemory {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return moved(view, application, known -> known.with(moves));
    }

    @Override
    public List<Event> events(ClusterView before) {
      return moves.stream().map(move -> ofMove(Kind.SHUFFLE_MOVING, move)).toList();
    }
  }

  /** A driver uses the new servers of moved shuffles for pushes and fetches. */
  record MovesApplied(String application, List<ShuffleMove> moves) implements InMemory {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return moved(view, application, known -> known.applied(moves));
    }

    @Override
    public List<Event> events(ClusterView before) {
      return moves.stream().map(move -> ofMove(Kind.SHUFFLE_MOVE_APPLIED, move)).toList();
    }
  }

  private static Event ofMove(Kind kind, ShuffleMove move) {
    return Event.of(kind)
        .ofApplication(move.getShuffle().getApplication())
        .with("shuffle", move.getShuffle().getShuffle())
        .ofServer(move.getFrom())
        .with("to", move.getTo().getName());
  }

  private static ClusterView moved(
      ClusterView view, String application, UnaryOperator<Moves> change) {
    return changed(view, application, known -> known.with(change.apply(known.moves())));
  }

  private static ClusterView changed(
      ClusterView view, String application, UnaryOperator<Application> change) {
    Application known = view.applications().get(application);
    return known == null ? view : view.with(view.applications().with(change.apply(known)));
  }

  /** A driver's request was refused. */
  record Refused(Kind kind, String application, String user, Status status, String message)
      implements Notice {
    @Override
    public List<Event> events(ClusterView before) {
      return List.of(
          Event.of(kind)
              .ofApplication(application)
              .with("user", user)
              .with("status", status)
              .with("reason", message));
    }
  }

  /** A driver's request was denied by access rules or quotas. */
  record Denied(String application, String user, int shuffle, Denial denial) implements Notice {
    /** Value of {@code shuffle} if the whole application is denied. */
    public static final int NO_SHUFFLE = -1;

    @Override
    public List<Event> events(ClusterView before) {
      boolean whole = shuffle == NO_SHUFFLE;
      return List.of(
          Event.of(whole ? Kind.APPLICATION_DENIED : Kind.SHUFFLE_REFUSED)
              .ofApplication(application)
              .with("shuffle", whole ? "" : shuffle)
              .with("user", user)
              .with("cause", denial.cause())
              .with("reason", denial.message()));
    }
  }

  /** Access rules or quotas have changed. */
  record UsageRulesChanged() implements Notice {
    @Override
    public List<Event> events(ClusterView before) {
      return List.of(Event.of(Kind.USAGE_RULES_CHANGED));
    }
  }

  /** An application reached a quota: servers refuse its pushes. */
  record QuotaReached(String application, Denial denial) implements Notice {
    @Override
    public List<Event> events(ClusterView before) {
      return List.of(
          Event.of(Kind.QUOTA_REACHED)
              .ofApplication(application)
              .with("cause", denial.cause())
              .with("reason", denial.message()));
    }
  }

  /** An application is below its quotas: servers accept its pushes again. */
  record QuotaLeft(String application) implements Notice {
    @Override
    public List<Event> events(ClusterView before) {
      return List.of(Event.of(Kind.QUOTA_LEFT).ofApplication(application));
    }
  }
}
