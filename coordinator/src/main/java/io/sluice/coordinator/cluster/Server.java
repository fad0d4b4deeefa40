package io.sluice.coordinator.cluster;

import io.sluice.proto.ServerId;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import io.sluice.proto.StoredData;
import java.util.List;

/**
 * One shuffle server. Immutable.
 *
 * @param heartbeat the latest heartbeat
 * @param reported ACTIVE, SERVER_DRAINING or UNHEALTHY: reported by the server, or SERVER_DRAINING
 *     because it accepted a decommission
 * @param liveness LOST after the heartbeat timeout was detected, LIVE after the next heartbeat
 * @param assignedSinceHeartbeat partitions assigned to the server since the latest heartbeat,
 *     replicas counted
 */
public record Server(
    Heartbeat heartbeat, ServerState reported, Liveness liveness, int assignedSinceHeartbeat) {

  /** Whether the heartbeat timeout of a server was detected. */
  public enum Liveness {
    LIVE,
    LOST
  }

  /**
   * What a server reported about itself.
   *
   * @param id name, addresses and epoch
   * @param stored largest applications and shuffles on the server
   * @param tags sorted, without repeats
   * @param atMs time of the heartbeat, on the coordinator's monotonic clock
   */
  public record Heartbeat(
      ServerId id, ServerLoad load, StoredData stored, List<String> tags, long atMs) {
    public Heartbeat {
      tags = List.copyOf(tags);
    }
  }

  public ServerId id() {
    return heartbeat.id();
  }

  public String name() {
    return id().getName();
  }

  /** Zone of the server; empty: not known. */
  public String zone() {
    return id().getZone();
  }

  public ServerLoad load() {
    return heartbeat.load();
  }

  public StoredData stored() {
    return heartbeat.stored();
  }

  public List<String> tags() {
    return heartbeat.tags();
  }

  public long heartbeatAtMs() {
    return heartbeat.atMs();
  }

  /** Returns a server with the values of its heartbeat. */
  public static Server reporting(
      ServerId id,
      ServerState state,
      ServerLoad load,
      StoredData stored,
      List<String> tags,
      long nowMs) {
    return new Server(new Heartbeat(id, load, stored, tags, nowMs), state, Liveness.LIVE, 0);
  }

  /** Returns the server with more assigned partitions. */
  public Server assigned(int partitions) {
    int sum = (int) Math.min(Integer.MAX_VALUE, (long) assignedSinceHeartbeat + partitions);
    return new Server(heartbeat, reported, liveness, sum);
  }

  /** Returns the server with a state that results from an order. */
  public Server withState(ServerState state) {
    return new Server(heartbeat, state, liveness, assignedSinceHeartbeat);
  }

  /** Returns the server, marked as lost. */
  public Server lost() {
    return new Server(heartbeat, reported, Liveness.LOST, assignedSinceHeartbeat);
  }

  /**
   * Returns the current state of the server. Lost takes precedence over excluded, excluded over the
   * reported state.
   *
   * @param timeoutMs time without a heartbeat after which a server is lost
   */
  public ServerState stateAt(long nowMs, long timeoutMs, ExcludeList excluded) {
    if (liveness == Liveness.LOST || nowMs - heartbeatAtMs() > timeoutMs) {
      return ServerState.SERVER_LOST;
    }
    return excluded.excludes(id()) ? ServerState.EXCLUDED : reported;
  }
}
