package io.sluice.client.server;

import io.sluice.proto.ServerId;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Which servers this process has waited for in vain, so that its other tasks need not: shared by
 * all sessions and reads. A server is failing from the time when somebody gave it up until it
 * answers again; meanwhile it is tried once in a while, by one task. Who knows the server by a
 * later epoch is not concerned: somebody has heard of it since. Thread-safe.
 */
public final class ServerHealth {
  private final long tryEveryNanos;
  private final LongSupplier nanoTime;
  private final ConcurrentMap<String, Failing> failing = new ConcurrentHashMap<>();

  /**
   * @param epoch the latest by which it was known to those who gave it up
   */
  private record Failing(long epoch, long lastTryNanos) {
    boolean concerns(ServerId server) {
      return server.getEpoch() <= epoch;
    }
  }

  /**
   * @param tryEveryMs from one try of a failing server to the next
   */
  public ServerHealth(long tryEveryMs, LongSupplier nanoTime) {
    this.tryEveryNanos = TimeUnit.MILLISECONDS.toNanos(tryEveryMs);
    this.nanoTime = nanoTime;
  }

  /**
   * Somebody has given the server up.
   *
   * @return whether that is news
   */
  public boolean gaveUp(ServerId server) {
    Failing before = failing.get(server.getName());
    long epoch = before == null ? server.getEpoch() : Math.max(before.epoch(), server.getEpoch());
    Failing last = failing.put(server.getName(), new Failing(epoch, nanoTime.getAsLong()));
    return last == null || !last.concerns(server);
  }

  /** The server has done what it was asked to. */
  public void answered(ServerId server) {
    if (!failing.isEmpty()) {
      failing.remove(server.getName());
    }
  }

  public boolean isFailing(ServerId server) {
    Failing known = failing.get(server.getName());
    return known != null && known.concerns(server);
  }

  /**
   * Whether it is worth while to ask the server: true unless it is failing and was tried lately.
   * The caller who gets true for a failing server is the one to try.
   */
  public boolean mayTry(ServerId server) {
    Failing known = failing.get(server.getName());
    if (known == null || !known.concerns(server)) {
      return true;
    }
    long now = nanoTime.getAsLong();
    return now - known.lastTryNanos() >= tryEveryNanos
        && failing.replace(server.getName(), known, new Failing(known.epoch(), now));
  }
}
