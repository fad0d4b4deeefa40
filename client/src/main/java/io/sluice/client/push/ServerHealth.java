package io.sluice.client.push;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Which servers this process has waited for in vain, so that its other tasks need not: shared by
 * all sessions and reads. A server is failing from the time when somebody gave it up until it
 * answers again; meanwhile it is tried once in a while, by one task. Thread-safe.
 */
public final class ServerHealth {
  private final long tryEveryNanos;
  private final LongSupplier nanoTime;

  /** By name: when it was tried last. */
  private final ConcurrentMap<String, Long> failing = new ConcurrentHashMap<>();

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
  public boolean gaveUp(String server) {
    return failing.put(server, nanoTime.getAsLong()) == null;
  }

  /** The server has done what it was asked to. */
  public void answered(String server) {
    if (!failing.isEmpty()) {
      failing.remove(server);
    }
  }

  public boolean isFailing(String server) {
    return failing.containsKey(server);
  }

  /**
   * Whether it is worth while to ask the server: true unless it is failing and was tried lately.
   * The caller who gets true for a failing server is the one to try.
   */
  public boolean mayTry(String server) {
    Long last = failing.get(server);
    if (last == null) {
      return true;
    }
    long now = nanoTime.getAsLong();
    return now - last >= tryEveryNanos && failing.replace(server, last, now);
  }
}
