package io.sluice.coordinator.cluster;

import io.sluice.proto.ServerId;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import io.sluice.proto.StoredData;
import java.util.List;

/**
 * One shuffle server as this coordinator sees it. Immutable.
 *
 * @param id name, addresses and epoch, from the latest heartbeat
 * @param reported ACTIVE, SERVER_DRAINING or UNHEALTHY: what the server reported, or what it
 *     accepted to be
 * @param load the load of the latest heartbeat
 * @param held the largest of what the server holds, from the latest heartbeat
 * @param tags sorted, without repeats
 * @param heardAtMs when the latest heartbeat came, on the coordinator's monotonic clock
 * @param heard whether the server counts as heard of; LOST is noted once, when the silence is
 *     noticed, and undone by the next heartbeat
 * @param assignedSinceHeartbeat partitions (copies count) handed to the server since the latest
 *     heartbeat
 */
public record Server(
    ServerId id,
    ServerState reported,
    ServerLoad load,
    StoredData held,
    List<String> tags,
    long heardAtMs,
    Liveness heard,
    int assignedSinceHeartbeat) {

  /** Whether the silence of a server has been noticed. */
  public enum Liveness {
    HEARD,
    LOST
  }

  public Server {
    tags = List.copyOf(tags);
  }

  public String name() {
    return id.getName();
  }

  /** A server as its heartbeat shows it, whatever was known of it before. */
  public static Server reporting(
      ServerId id,
      ServerState state,
      ServerLoad load,
      StoredData held,
      List<String> tags,
      long nowMs) {
    return new Server(id, state, load, held, tags, nowMs, Liveness.HEARD, 0);
  }

  /** The server with {@code partitions} more handed to it. */
  public Server assigned(int partitions) {
    int sum = (int) Math.min(Integer.MAX_VALUE, (long) assignedSinceHeartbeat + partitions);
    return new Server(id, reported, load, held, tags, heardAtMs, heard, sum);
  }

  /** The server with another state than it reported: an order says so. */
  public Server ordered(ServerState state) {
    return new Server(id, state, load, held, tags, heardAtMs, heard, assignedSinceHeartbeat);
  }

  /** The server, noted as lost. */
  public Server lost() {
    return new Server(
        id, reported, load, held, tags, heardAtMs, Liveness.LOST, assignedSinceHeartbeat);
  }

  /**
   * What the server counts as now. Silence outweighs exclusion, exclusion outweighs what the server
   * says of itself.
   *
   * @param timeoutMs silence after which a server is lost
   */
  public ServerState stateAt(long nowMs, long timeoutMs, ExcludeList excluded) {
    if (heard == Liveness.LOST || nowMs - heardAtMs > timeoutMs) {
      return ServerState.SERVER_LOST;
    }
    return excluded.excludes(id) ? ServerState.EXCLUDED : reported;
  }
}
