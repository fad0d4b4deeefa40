package io.sluice.coordinator.cluster;

import io.sluice.proto.ServerId;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import io.sluice.proto.StoredData;
import java.util.List;

/**
 * One shuffle server. Immutable.
 *
 * @param id name, addresses and epoch, from the latest heartbeat
 * @param reported ACTIVE, SERVER_DRAINING or UNHEALTHY: reported by the server, or SERVER_DRAINING
 *     because it accepted a decommission
 * @param load the load of the latest heartbeat
 * @param stored largest applications and shuffles on the server, from the latest heartbeat
 * @param tags sorted, without repeats
 * @param heartbeatAtMs time of the latest heartbeat, on the coordinator's monotonic clock
 * @param liveness LOST after the heartbeat timeout was detected, LIVE after the next heartbeat
 * @param assignedSinceHeartbeat partitions assigned to the server since the latest heartbeat,
 *     replicas counted
 */
public record Server(
    ServerId id,
    ServerState reported,
    ServerLoad load,
    StoredData stored,
    List<String> tags,
    long heartbeatAtMs,
    Liveness liveness,
    int assignedSinceHeartbeat) {

  /** Whether the heartbeat timeout of a server was detected. */
  public enum Liveness {
    LIVE,
    LOST
  }

  public Server {
    tags = List.copyOf(tags);
  }

  public String name() {
    return id.getName();
  }

  /** Zone of the server; empty: not known. */
  public String zone() {
    return id.getZone();
  }

  /** Returns a server with the values of its heartbeat. */
  public static Server reporting(
      ServerId id,
      ServerState state,
      ServerLoad load,
      StoredData stored,
      List<String> tags,
      long nowMs) {
    return new Server(id, state, load, stored, tags, nowMs, Liveness.LIVE, 0);
  }

  /** Returns the server with more assigned partitions. */
  public Server assigned(int partitions) {
    int sum = (int) Math.min(Integer.MAX_VALUE, (long) assignedSinceHeartbeat + partitions);
    return new Server(id, reported, load, stored, tags, heartbeatAtMs, liveness, sum);
  }

  /** Returns the server with a state that results from an order. */
  public Server withState(ServerState state) {
    return new Server(
        id, state, load, stored, tags, heartbeatAtMs, liveness, assignedSinceHeartbeat);
  }

  /** Returns the server, marked as lost. */
  public Server lost() {
    return new Server(
        id, reported, load, stored, tags, heartbeatAtMs, Liveness.LOST, assignedSinceHeartbeat);
  }

  /**
   * Returns the current state of the server. Lost takes precedence over excluded, excluded over the
   * reported state.
   *
   * @param timeoutMs time without a heartbeat after which a server is lost
   */
  public ServerState stateAt(long nowMs, long timeoutMs, ExcludeList excluded) {
    if (liveness == Liveness.LOST || nowMs - heartbeatAtMs > timeoutMs) {
      return ServerState.SERVER_LOST;
    }
    return excluded.excludes(id) ? ServerState.EXCLUDED : reported;
  }
}
