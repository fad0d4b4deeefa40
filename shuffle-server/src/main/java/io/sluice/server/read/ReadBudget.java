package io.sluice.server.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.transport.server.ApplicationShare;
import io.sluice.transport.server.ClientConnection;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Bytes of replies to Fetch that may be read, or on their way out, at a time: bytes of files, and
 * the copies that are sent where a connection cannot send bytes as they lie ({@link
 * ClientConnection#copyBytes}). What was taken is given back as the bytes leave the process.
 *
 * <p>One connection gets at most an eighth, and one application its {@link ApplicationShare share},
 * so that clients that receive their replies slowly do not hold up the others; a connection and an
 * application that use nothing get one fetch, whatever its size. Thread-safe.
 */
public final class ReadBudget {
  /** A few slow clients leave most of the budget to the rest. */
  private static final int CONNECTION_DIVISOR = 8;

  private final long capacityBytes;
  private final long connectionBytes;

  @GuardedBy("this")
  private final Map<ClientConnection, Long> usedByConnection = new HashMap<>();

  @GuardedBy("this")
  private final Map<String, Long> usedByApplication = new HashMap<>();

  @GuardedBy("this")
  private final Set<Runnable> waiters = new LinkedHashSet<>();

  @GuardedBy("this")
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

  /** Bytes in use; 0 once every reply has left. */
  public synchronized long usedBytes() {
    return usedBytes;
  }

  /**
   * Takes bytes if they are free.
   *
   * @param waiter called once when some have been given back after this has failed; quick
   */
  synchronized boolean tryTake(ClientConnection connection, long bytes, Runnable waiter) {
    boolean fits =
        usedBytes == 0
            || (usedBytes + bytes <= capacityBytes
                && connectionFits(connection, bytes)
                && applicationFits(connection.application(), bytes));
    if (fits) {
      usedBytes += bytes;
      usedByConnection.merge(connection, bytes, Long::sum);
      usedByApplication.merge(connection.application(), bytes, Long::sum);
    } else {
      waiters.add(waiter);
    }
    return fits;
  }

  @GuardedBy("this")
  private boolean connectionFits(ClientConnection connection, long bytes) {
    Long used = usedByConnection.get(connection);
    return used == null || used + bytes <= connectionBytes;
  }

  @GuardedBy("this")
  private boolean applicationFits(String application, long bytes) {
    Long used = usedByApplication.get(application);
    return used == null || ApplicationShare.allows(capacityBytes, usedBytes + bytes, used + bytes);
  }

  /** Gives back bytes that were taken, all of one fetch or some of them. */
  void give(ClientConnection connection, long bytes) {
    List<Runnable> told;
    synchronized (this) {
      subtract(usedByConnection, connection, bytes);
      subtract(usedByApplication, connection.application(), bytes);
      usedBytes -= bytes;
      told = new ArrayList<>(waiters);
      waiters.clear();
    }
    told.forEach(Runnable::run);
  }

  private static <K> void subtract(Map<K, Long> used, K user, long bytes) {
    long left = used.getOrDefault(user, 0L) - bytes;
    if (left < 0) {
      throw new IllegalStateException(
          "read budget: " + bytes + " bytes given back, more than were taken by " + user);
    }
    if (left == 0) {
      used.remove(user);
    } else {
      used.put(user, left);
    }
  }
}
