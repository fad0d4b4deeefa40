package io.sluice.coordinator.state;

import io.sluice.coordinator.app.Application;
import io.sluice.coordinator.assign.PartitionSize;
import io.sluice.coordinator.cluster.ExcludeList;
import io.sluice.coordinator.cluster.Server;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
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

  /** A server sent a heartbeat. */
  record ServerReported(
      ServerId id, ServerState state, ServerLoad load, List<String> tags, long atMs)
      implements MetadataRecord {
    @Override
    public ClusterView applyTo(ClusterView view) {
      Server known = view.servers().get(id.getName());
      Server server = Server.reporting(id, state, load, tags, atMs);
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
    public Event event(ClusterView before) {
      Server known = before.servers().get(id.getName());
      if (known == null) {
        return Event.info(
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
        return Event.warn(
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
        return Event.info(
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
        return Event.info(
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
      return Event.warn(
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
      return Event.info("lost server forgotten server=" + server);
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
      return Event.info(
          "excluded servers changed count=" + excluded.size() + " servers=" + excluded);
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
          : Event.info(
              "application registered app="
                  + application
                  + " user="
                  + user
                  + " clientVersion="
                  + clientVersion);
    }
  }

  /** A driver said that its application lives. */
  record LeaseRenewed(String application, long atMs) implements MetadataRecord {
    @Override
    public ClusterView applyTo(ClusterView view) {
      Application known = view.applications().get(application);
      return known == null ? view : view.with(view.applications().with(known.renewed(atMs)));
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
      return Event.info(
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
      return Event.warn("application expired app=" + application + " silentMs=" + silentMs);
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
          ? Event.warn(
              "shuffle assigned with fewer replicas than asked for"
                  + what
                  + " replicasWanted="
                  + replicasWanted)
          : new Event(Level.DEBUG, "shuffle assigned" + what);
    }
  }
}
