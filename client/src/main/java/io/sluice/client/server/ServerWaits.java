package io.sluice.client.server;

import io.sluice.client.server.ServerTimes.ServerTime;
import java.util.HashMap;
import java.util.Map;

/**
 * Divides the waits of one task among servers and causes. A wait counts for one server; its cause
 * is known from the server's next reply. Owned by the task thread.
 */
public final class ServerWaits {
  private final Map<String, Waits> servers = new HashMap<>();

  private static final class Waits {
    private long bytes;
    private long memoryNanos;
    private long diskNanos;
    private long otherNanos;
    // Since the last reply of the server.
    private long openNanos;
  }

  private Waits of(String server) {
    return servers.computeIfAbsent(server, name -> new Waits());
  }

  /** Counts bytes that were sent to a server or received from it. */
  public void exchanged(String server, long bytes) {
    of(server).bytes += bytes;
  }

  /** Counts a wait for a server. */
  public void waited(String server, long nanos) {
    of(server).openNanos += nanos;
  }

  /** A server replied: the waits since its last reply were due to the server or the network. */
  public void answered(String server) {
    usedDisk(server, 0);
  }

  /** A server replied, short of memory: the waits since its last reply were due to that. */
  public void shortOfMemory(String server) {
    Waits waits = of(server);
    waits.memoryNanos += waits.openNanos;
    waits.openNanos = 0;
  }

  /**
   * A server replied after it used its disks.
   *
   * @param maxNanos maximum part of the waits since its last reply that was due to disks
   */
  public void usedDisk(String server, long maxNanos) {
    Waits waits = of(server);
    long disk = Math.max(0, Math.min(maxNanos, waits.openNanos));
    waits.diskNanos += disk;
    waits.otherNanos += waits.openNanos - disk;
    waits.openNanos = 0;
  }

  /** The counted bytes and waits. */
  public ServerTimes times() {
    Map<String, ServerTime> times = new HashMap<>();
    servers.forEach(
        (server, waits) ->
            times.put(
                server,
                new ServerTime(
                    waits.bytes,
                    waits.memoryNanos + waits.diskNanos + waits.otherNanos + waits.openNanos,
                    waits.memoryNanos,
                    waits.diskNanos)));
    return new ServerTimes(times);
  }
}
