package io.sluice.server.read;

import io.sluice.server.service.ClientConnection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Bytes of files that may be being read or sent at a time. One connection gets at most a part of
 * them, so that a client that takes its replies slowly does not hold up the others; but one fetch
 * always, whatever its size. Thread-safe.
 */
public final class ReadBudget {
  /** A few slow clients leave most of the budget to the rest. */
  private static final int CONNECTION_DIVISOR = 8;

  private final long capacityBytes;
  private final long connectionBytes;

  // Guarded by this.
  private final Map<ClientConnection, Long> usedByConnection = new HashMap<>();
  private final Set<Runnable> waiters = new LinkedHashSet<>();
  private long usedBytes;

  public ReadBudget(long capacityBytes) {
    if (capacityBytes < 1) {
      throw new IllegalArgumentException("read budget of " + capacityBytes + " bytes");
    }
    this.capacityBytes = capacityBytes;
    this.connectionBytes = Math.max(1, capacityBytes / CONNECTION_DIVISOR);
  }

  public long capacityBytes() {
    return capacityBytes;
  }

  /** Bytes of files that are being read or sent. */
  public synchronized long usedBytes() {
    return usedBytes;
  }

  /**
   * Takes bytes if they are free.
   *
   * @param waiter called once when some have been given back after this has failed; quick
   */
  synchronized boolean tryTake(ClientConnection connection, long bytes, Runnable waiter) {
    long used = usedByConnection.getOrDefault(connection, 0L);
    boolean fits =
        (usedBytes == 0 || usedBytes + bytes <= capacityBytes)
            && (used == 0 || used + bytes <= connectionBytes);
    if (fits) {
      usedBytes += bytes;
      usedByConnection.put(connection, used + bytes);
    } else {
      waiters.add(waiter);
    }
    return fits;
  }

  /** Gives back what was taken with one call. */
  void give(ClientConnection connection, long bytes) {
    List<Runnable> told;
    synchronized (this) {
      long left = usedByConnection.getOrDefault(connection, 0L) - bytes;
      if (left < 0 || usedBytes < bytes) {
        throw new IllegalStateException(
            "read budget: " + bytes + " bytes given back, more than were taken by " + connection);
      }
      usedBytes -= bytes;
      if (left == 0) {
        usedByConnection.remove(connection);
      } else {
        usedByConnection.put(connection, left);
      }
      told = new ArrayList<>(waiters);
      waiters.clear();
    }
    told.forEach(Runnable::run);
  }
}
