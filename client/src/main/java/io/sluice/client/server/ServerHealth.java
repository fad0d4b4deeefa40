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
 *                            FAILING: mayProbe is true for one task per probe interval
 *           markUnreachable
 *  HEALTHY -----------------&gt; UNREACHABLE: tasks that need the server wait for it
 *   ^  |                      |  |
 *   |  |     markFailing      |  | markFailing
 *   |  +---------------------)|(-+--------&gt; GIVEN UP: a task has waited for the retry period
 *   |                         |             |
 *   +------ markHealthy ------+-------------+
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
   * @param epoch latest epoch of the server in which it failed
   * @param givenUp whether a task has waited for the retry period
   */
  private record Failing(long epoch, long lastProbeNanos, boolean givenUp) {
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
   * Records that a task has given the server up, after a retry period.
   *
   * @return whether the server was healthy before, so that the caller logs the failure once
   */
  public boolean markFailing(ServerId server) {
    return mark(server, true);
  }

  /**
   * Records that a task has left the server without waiting, because another one may have its data.
   *
   * @return as {@link #markFailing}
   */
  public boolean markUnreachable(ServerId server) {
    return mark(server, false);
  }

  private boolean mark(ServerId server, boolean givenUp) {
    long now = nanoTime.getAsLong();
    Failing[] last = new Failing[1];
    failing.compute(
        server.getName(),
        (name, before) -> {
          last[0] = before;
          boolean known = before != null && before.concerns(server);
          return new Failing(
              known ? before.epoch() : server.getEpoch(),
              now,
              givenUp || (known && before.givenUp()));
        });
    return last[0] == null || !last[0].concerns(server);
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

  /** Whether a task has waited for the retry period of a server that still fails. */
  public boolean isGivenUp(ServerId server) {
    Failing known = failing.get(server.getName());
    return known != null && known.concerns(server) && known.givenUp();
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
        && failing.replace(
            server.getName(), known, new Failing(known.epoch(), now, known.givenUp()));
  }
}
