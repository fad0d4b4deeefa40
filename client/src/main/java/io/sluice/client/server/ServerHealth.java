package io.sluice.client.server;

import io.sluice.proto.ServerId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The failing servers that this process knows. All push sessions and reads share it, so that one
 * task waits for the retry period of a server and the others do not. Thread-safe.
 *
 * <pre>
 *           markFailing
 *  HEALTHY -------------&gt; FAILING     mayProbe: true for one task per probe interval
 *     ^                      |
 *     +---- markHealthy -----+
 * </pre>
 *
 * <p>A failure is recorded with the epoch of the server. A task that knows a later epoch treats the
 * server as healthy, because the server has restarted since.
 */
public final class ServerHealth {
  private final long probeIntervalNanos;
  private final LongSupplier nanoTime;
  private final ConcurrentMap<String, Failing> failing = new ConcurrentHashMap<>();

  /**
   * @param epoch latest epoch of the server that a task gave up
   */
  private record Failing(long epoch, long lastProbeNanos) {
    boolean concerns(ServerId server) {
      return server.getEpoch() <= epoch;
    }
  }

  /**
   * @param probeIntervalMs time between two probes of a failing server
   */
  public ServerHealth(long probeIntervalMs, LongSupplier nanoTime) {
    this.probeIntervalNanos = TimeUnit.MILLISECONDS.toNanos(probeIntervalMs);
    this.nanoTime = nanoTime;
  }

  /**
   * Records that a task has given the server up.
   *
   * @return whether the server was healthy before, so that the caller logs the failure once
   */
  public boolean markFailing(ServerId server) {
    Failing before = failing.get(server.getName());
    long epoch = before == null ? server.getEpoch() : Math.max(before.epoch(), server.getEpoch());
    Failing last = failing.put(server.getName(), new Failing(epoch, nanoTime.getAsLong()));
    return last == null || !last.concerns(server);
  }

  /** Records that the server has completed a request. */
  public void markHealthy(ServerId server) {
    if (!failing.isEmpty()) {
      failing.remove(server.getName());
    }
  }

  public boolean isFailing(ServerId server) {
    Failing known = failing.get(server.getName());
    return known != null && known.concerns(server);
  }

  /**
   * Whether the caller may send a request: true for a healthy server, and for a failing one once
   * per probe interval. The caller that gets true for a failing server must send the probe.
   */
  public boolean mayProbe(ServerId server) {
    Failing known = failing.get(server.getName());
    if (known == null || !known.concerns(server)) {
      return true;
    }
    long now = nanoTime.getAsLong();
    return now - known.lastProbeNanos() >= probeIntervalNanos
        && failing.replace(server.getName(), known, new Failing(known.epoch(), now));
  }
}
