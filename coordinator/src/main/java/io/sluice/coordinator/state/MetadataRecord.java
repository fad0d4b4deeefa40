package io.sluice.coordinator.state;

import io.sluice.coordinator.app.Application;
import io.sluice.coordinator.app.Fallbacks;
import io.sluice.coordinator.assign.PartitionSize;
import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.quota.Denial;
import io.sluice.proto.HeldData;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleMove;
import io.sluice.proto.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.event.Level;

/**
 * One change of the coordinator's state. Applying a record needs nothing but the record and the
 * view: no clock, no I/O, no randomness.
 */
public sealed interface MetadataRecord {

  /** The view after this change. */
  ClusterView applyTo(ClusterView view);

  /**
   * The line of the log that this change deserves, or null for the many that deserve none.
   *
   * @param before the view that the record is about to be applied to
   */
  default Event event(ClusterView before) {
    return null;
  }

  /** All lines of the log that this change deserves. */
  default List<Event> events(ClusterView before) {
    Event event = event(before);
    return event == null ? List.of() : List.of(event);
  }

  /** Changes nothing: people are told. */
  sealed interface Notice extends MetadataRecord {
    @Override
    default ClusterView applyTo(ClusterView view) {
      return view;
    }
  }

  /** A server sent a heartbeat. */
  record ServerReported(
      ServerId id, ServerState state, ServerLoad load, HeldData held, List<String> tags, long atMs)
      implements MetadataRecord {
    @Override
    public ClusterView applyTo(ClusterView view) {
      Server known = view.servers().get(id.getName());
      Server server = Server.reporting(id, state, load, held, tags, atMs);
      return view.with(view.servers().with(server), learnt(view.partitionSize(), known));
    }

    private PartitionSize learnt(PartitionSize size, Server known) {
      if (known == null || known.id().getEpoch() != id.getEpoch()) {
        return size;
      }
      double pushedBytes =
          (double) load.getPushBytesPerSecond() * (atMs - known.heardAtMs()) / 1000;
      return size.observed(pushedBytes, known.assignedSinceHeartbeat());
    }

    @Override
    public List<Event> events(ClusterView before) {
      Server known = before.servers().get(id.getName());
      List<Event> events = new ArrayList<>();
      Event event = event(before);
      if (event != null) {
        events.add(event);
      }
      events.addAll(
          DiskEvents.between(
              id.getName(),
              known == null || known.id().getEpoch() != id.getEpoch()
                  ? List.of()
                  : known.load().getDisksList(),
              load.getDisksList()));
      return events;
    }

    @Override
    public Event event(ClusterView before) {
      Server known = before.servers().get(id.getName());
      if (known == null) {
        return server(
            Level.INFO,
            Event.Kind.SERVER_JOINED,
            "server joined server="
                + id.getName()
                + " epoch="
                + id.getEpoch()
                + " state="
                + state
                + " tags="
                + tags);
      }
      if (known.id().getEpoch() != id.getEpoch()) {
        return server(
            Level.WARN,
            Event.Kind.SERVER_RESTARTED,
            "server restarted server="
                + id.getName()
                + " epoch="
                + id.getEpoch()
                + " earlierEpoch="
                + known.id().getEpoch()
                + " state="
                + state);
      }
      if (known.heard() == Server.Liveness.LOST) {
        return server(
            Level.INFO,
            Event.Kind.SERVER_RETURNED,
            "server came back server="
                + id.getName()
                + " epoch="
                + id.getEpoch()
                + " silentMs="
                + (atMs - known.heardAtMs())
                + " state="
                + state);
      }
      if (known.reported() != state) {
        return server(
            Level.INFO,
            Event.Kind.SERVER_STATE_CHANGED,
            "server changed state server="
                + id.getName()
                + " epoch="
                + id.getEpoch()
                + " state="
                + state
                + " earlierState="
                + known.reported());
      }
      return null;
    }

    private Event server(Level level, Event.Kind kind, String text) {
      return Event.ofServer(level, kind, id.getName(), text);
    }
  }

  /** A server has been silent for too long. */
  record ServerLost(String server, long epoch, long silentMs) implements MetadataRecord {
    @Override
    public ClusterView applyTo(ClusterView view) {
      Server known = view.servers().get(server);
      return known == null ? view : view.with(view.servers().with(known.lost()));
    }

    @Override
    public Event event(ClusterView before) {
      return Event.ofServer(
          Level.WARN,
          Event.Kind.SERVER_LOST,
          server,
          "server lost server=" + server + " epoch=" + epoch + " silentMs=" + silentMs);
    }
  }

  /** A lost server stayed silent and is not listed any more. */
  record ServerForgotten(String server) implements MetadataRecord {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return view.with(view.servers().without(server));
    }

    @Override
    public Event event(ClusterView before) {
      return Event.ofServer(
          Level.INFO,
          Event.Kind.SERVER_FORGOTTEN,
          server,
          "lost server forgotten server=" + server);
    }
  }

  /** A decommissioned server said goodbye. */
  record ServerLeft(String server, long epoch) implements MetadataRecord {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return view.with(view.servers().without(server));
    }

    @Override
    public Event event(ClusterView before) {
      return Event.ofServer(
          Level.INFO,
          Event.Kind.SERVER_LEFT,
          server,
          "server left server=" + server + " epoch=" + epoch);
    }
  }

  /** The exclude file says something new. */
  record ExclusionsChanged(ExcludeList excluded) implements MetadataRecord {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return new ClusterView(
          view.servers(),
          view.applications(),
          excluded,
          view.startedAtMs(),
          view.assignments(),
          view.partitionSize());
    }

    @Override
    public Event event(ClusterView before) {
      return new Event(
          Level.INFO,
          Event.Kind.EXCLUSIONS_CHANGED,
          "",
          "",
          "excluded servers changed count=" + excluded.size() + " servers=" + excluded);
    }

    @Override
    public List<Event> events(ClusterView before) {
      List<Event> events = new ArrayList<>();
      events.add(event(before));
      for (Server server : before.servers().all()) {
        boolean was = before.excluded().excludes(server.id());
        boolean is = excluded.excludes(server.id());
        if (was != is) {
          events.add(
              Event.ofServer(
                  Level.INFO,
                  is ? Event.Kind.SERVER_EXCLUDED : Event.Kind.SERVER_INCLUDED,
                  server.name(),
                  (is ? "server excluded" : "server included again") + " server=" + server.name()));
        }
      }
      return events;
    }
  }

  /** The coordinator took other values of its configuration; the view says nothing of them. */
  record ConfigurationReloaded(String changes) implements Notice {
    @Override
    public Event event(ClusterView before) {
      return new Event(
          Level.INFO,
          Event.Kind.CONFIGURATION_RELOADED,
          "",
          "",
          "configuration reloaded " + changes);
    }
  }

  /** A driver announced its application, for the first time or again. */
  record ApplicationRegistered(String application, String user, String clientVersion, long atMs)
      implements MetadataRecord {
    @Override
    public ClusterView applyTo(ClusterView view) {
      Application known = view.applications().get(application);
      Application registered =
          known != null && known.state() == Application.State.LIVE
              ? known.announcedAgain(user, clientVersion, atMs)
              : Application.registered(application, user, clientVersion, atMs);
      return view.with(view.applications().with(registered));
    }

    @Override
    public Event event(ClusterView before) {
      Application known = before.applications().get(application);
      boolean again = known != null && known.state() == Application.State.LIVE;
      return again
          ? null
          : Event.ofApplication(
              Level.INFO,
              Event.Kind.APPLICATION_REGISTERED,
              application,
              "application registered app="
                  + application
                  + " user="
                  + user
                  + " clientVersion="
                  + clientVersion);
    }
  }

  /** A driver said that its application lives. */
  record LeaseRenewed(String application, Fallbacks fallbacks, long atMs)
      implements MetadataRecord {
    @Override
    public ClusterView applyTo(ClusterView view) {
      Application known = view.applications().get(application);
      return known == null
          ? view
          : view.with(view.applications().with(known.renewed(fallbacks, atMs)));
    }
  }

  /**
   * A driver said that its application is over; also remembered if this coordinator never knew it,
   * because the servers may.
   */
  record ApplicationEnded(String application, long atMs) implements MetadataRecord {
    @Override
    public ClusterView applyTo(ClusterView view) {
      Application known = view.applications().get(application);
      Application ended = known == null ? Application.registered(application, "", "", atMs) : known;
      return view.with(view.applications().with(ended.ended(atMs)));
    }

    @Override
    public Event event(ClusterView before) {
      Application known = before.applications().get(application);
      return Event.ofApplication(
          Level.INFO,
          Event.Kind.APPLICATION_ENDED,
          application,
          "application ended app="
              + application
              + " shuffles="
              + (known == null ? 0 : known.shuffleCount()));
    }
  }

  /** The lease of an application ran out. */
  record ApplicationExpired(String application, long silentMs) implements MetadataRecord {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return view.with(view.applications().without(application));
    }

    @Override
    public Event event(ClusterView before) {
      return Event.ofApplication(
          Level.WARN,
          Event.Kind.APPLICATION_EXPIRED,
          application,
          "application expired app=" + application + " silentMs=" + silentMs);
    }
  }

  /** An ended application need not be remembered any more. */
  record ApplicationForgotten(String application) implements MetadataRecord {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return view.with(view.applications().without(application));
    }
  }

  /**
   * A shuffle was given to servers.
   *
   * @param replicasWanted copies that were asked for
   * @param replicas copies that there are servers for
   * @param partitionsByServer what each server got, copies counted
   * @param shufflesRemembered how many shuffles of the application are kept in mind
   */
  record ShuffleAssigned(
      String application,
      int shuffle,
      int partitionCount,
      int replicasWanted,
      int replicas,
      Map<String, Integer> partitionsByServer,
      int shufflesRemembered)
      implements MetadataRecord {
    @Override
    public ClusterView applyTo(ClusterView view) {
      Application known = view.applications().get(application);
      return new ClusterView(
          view.servers().assigned(partitionsByServer),
          known == null
              ? view.applications()
              : view.applications()
                  .with(known.withShuffle(shuffle, partitionCount, shufflesRemembered)),
          view.excluded(),
          view.startedAtMs(),
          view.assignments() + 1,
          view.partitionSize());
    }

    @Override
    public Event event(ClusterView before) {
      String what =
          " app="
              + application
              + " shuffle="
              + shuffle
              + " partitions="
              + partitionCount
              + " replicas="
              + replicas
              + " servers="
              + partitionsByServer.size();
      return replicas < replicasWanted
          ? Event.ofApplication(
              Level.WARN,
              Event.Kind.SHUFFLE_SHORT_OF_COPIES,
              application,
              "shuffle assigned with fewer replicas than asked for"
                  + what
                  + " replicasWanted="
                  + replicasWanted)
          : Event.ofApplication(
              Level.DEBUG, Event.Kind.SHUFFLE_ASSIGNED, application, "shuffle assigned" + what);
    }
  }

  /**
   * A leaving server was told who takes what it holds of a shuffle.
   *
   * @param partitions that go there
   */
  record MoveTargetChosen(String target, int partitions) implements MetadataRecord {
    @Override
    public ClusterView applyTo(ClusterView view) {
      return view.with(view.servers().assigned(Map.of(target, partitions)));
    }
  }

  /** A leaving server copies shuffles of an application to others. */
  record MovesReported(String application, List<ShuffleMove> moves) implements MetadataRecord {
    @Override
    public ClusterView applyTo(ClusterView view) {
      Application known = view.applications().get(application);
      return known == null
          ? view
          : view.with(view.applications().with(known.with(known.moves().with(moves))));
    }

    @Override
    public List<Event> events(ClusterView before) {
      return moves.stream()
          .map(move -> ofMove(Event.Kind.SHUFFLE_MOVING, "shuffle is moved", move))
          .toList();
    }
  }

  /** A driver sends and looks for blocks where leaving servers have copied them. */
  record MovesApplied(String application, List<ShuffleMove> moves) implements MetadataRecord {
    @Override
    public ClusterView applyTo(ClusterView view) {
      Application known = view.applications().get(application);
      return known == null
          ? view
          : view.with(view.applications().with(known.with(known.moves().applied(moves))));
    }

    @Override
    public List<Event> events(ClusterView before) {
      return moves.stream()
          .map(move -> ofMove(Event.Kind.SHUFFLE_MOVE_APPLIED, "driver knows of a move", move))
          .toList();
    }
  }

  private static Event ofMove(Event.Kind kind, String what, ShuffleMove move) {
    String application = move.getShuffle().getApplication();
    return new Event(
        Level.INFO,
        kind,
        move.getFrom(),
        application,
        what
            + " app="
            + application
            + " shuffle="
            + move.getShuffle().getShuffle()
            + " from="
            + move.getFrom()
            + " to="
            + move.getTo().getName());
  }

  /** A driver was told no. Nothing changes but what people are told. */
  record Refused(Event.Kind kind, String application, String user, Status status, String message)
      implements Notice {
    @Override
    public Event event(ClusterView before) {
      return Event.ofApplication(
          Level.WARN,
          kind,
          application,
          (kind == Event.Kind.APPLICATION_DENIED
                  ? "application denied app="
                  : "shuffle refused app=")
              + application
              + (user.isEmpty() ? "" : " user=" + user)
              + " status="
              + status
              + " reason="
              + message);
    }
  }

  /** A driver was told to do without, by the operator's rules. */
  record Denied(String application, String user, int shuffle, Denial denial) implements Notice {
    /** In the place of a shuffle when the whole application is meant. */
    public static final int NO_SHUFFLE = -1;

    @Override
    public Event event(ClusterView before) {
      boolean whole = shuffle == NO_SHUFFLE;
      return Event.ofApplication(
          Level.WARN,
          whole ? Event.Kind.APPLICATION_DENIED : Event.Kind.SHUFFLE_REFUSED,
          application,
          (whole ? "application denied app=" : "shuffle denied app=")
              + application
              + (whole ? "" : " shuffle=" + shuffle)
              + " user="
              + user
              + " cause="
              + denial.cause()
              + " reason="
              + denial.message());
    }
  }

  /** The operator's rules of who may use how much are other ones now. */
  record UsageRulesChanged() implements Notice {
    @Override
    public Event event(ClusterView before) {
      return new Event(
          Level.INFO, Event.Kind.USAGE_RULES_CHANGED, "", "", "rules of access and quotas changed");
    }
  }

  /** Servers are told to take nothing more of an application. */
  record QuotaReached(String application, Denial denial) implements Notice {
    @Override
    public Event event(ClusterView before) {
      return Event.ofApplication(
          Level.WARN,
          Event.Kind.QUOTA_REACHED,
          application,
          "quota reached app="
              + application
              + " cause="
              + denial.cause()
              + " reason="
              + denial.message());
    }
  }

  /** Servers take data of an application again. */
  record QuotaLeft(String application) implements Notice {
    @Override
    public Event event(ClusterView before) {
      return Event.ofApplication(
          Level.INFO,
          Event.Kind.QUOTA_LEFT,
          application,
          "application is below its quota again app=" + application);
    }
  }
}
