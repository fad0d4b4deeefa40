package io.sluice.client.server;

import java.util.HashMap;
import java.util.Map;

/**
 * Bytes that tasks exchanged with servers, and the time that they waited for each of them, by the
 * name of the server. Immutable.
 */
public record ServerTimes(Map<String, ServerTime> byServer) {
  public static final ServerTimes NONE = new ServerTimes(Map.of());

  /**
   * Bytes and waits at one server.
   *
   * @param bytes bytes sent, including copies and repeated frames, or bytes read
   * @param waitNanos time that tasks waited for the server
   * @param memoryNanos part of the wait while the server was short of memory and wrote to no disk
   * @param diskNanos part of the wait while disks of the server were written or read
   */
  public record ServerTime(long bytes, long waitNanos, long memoryNanos, long diskNanos) {
    ServerTime plus(ServerTime other) {
      return new ServerTime(
          bytes + other.bytes,
          waitNanos + other.waitNanos,
          memoryNanos + other.memoryNanos,
          diskNanos + other.diskNanos);
    }
  }

  public ServerTimes {
    byServer = Map.copyOf(byServer);
  }

  public ServerTimes plus(ServerTimes other) {
    if (byServer.isEmpty() || other.byServer.isEmpty()) {
      return byServer.isEmpty() ? other : this;
    }
    Map<String, ServerTime> sum = new HashMap<>(byServer);
    other.byServer.forEach((server, time) -> sum.merge(server, time, ServerTime::plus));
    return new ServerTimes(sum);
  }
}
