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
 * Limits the bytes of replies to Fetch that are being read or sent: bytes of files, and copies for
 * connections that cannot send bytes without copying ({@link ClientConnection#copyBytes}). Bytes
 * are released when they leave the process.
 *
 * <p>One connection gets at most an eighth, and one application its {@link ApplicationShare share},
 * so that clients that receive replies slowly do not block others. A connection and an application
 * without usage get one fetch of any size. Thread-safe.
 */
public final class ReadBudget {
  /** Share of one connection: a few slow clients leave most of the budget to others. */
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
      throw new IllegalArgumentException("read budget must be at least 1 byte: " + capacityBytes);
    }
    this.capacityBytes = capacityBytes;
    this.connectionBytes = Math.max(1, capacityBytes / CONNECTION_DIVISOR);
  }

  public long capacityBytes() {
    return capacityBytes;
  }

  /** Bytes in use; 0 when all replies have left the process. */
  public synchronized long usedBytes() {
    return usedBytes;
  }

  /**
   * Takes bytes if they are free.
   *
   * @param waiter if this fails, called once after bytes were released; must not block
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

  /** Releases all or some of the bytes that a fetch took. */
  void release(ClientConnection connection, long bytes) {
    List<Runnable> retries;
    synchronized (this) {
      subtract(usedByConnection, connection, bytes);
      subtract(usedByApplication, connection.application(), bytes);
      usedBytes -= bytes;
      retries = new ArrayList<>(waiters);
      waiters.clear();
    }
    retries.forEach(Runnable::run);
  }

  private static <K> void subtract(Map<K, Long> used, K user, long bytes) {
    long left = used.getOrDefault(user, 0L) - bytes;
    if (left < 0) {
      throw new IllegalStateException(
          "read budget: " + bytes + " bytes released, which is more than " + user + " has taken");
    }
    if (left == 0) {
      used.remove(user);
    } else {
      used.put(user, left);
    }
  }
}
