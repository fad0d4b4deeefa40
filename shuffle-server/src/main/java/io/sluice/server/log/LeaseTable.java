package io.sluice.server.log;

import io.sluice.proto.ApplicationLease;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Decides when the server removes an application, for one of two reasons:
 *
 * <ul>
 *   <li>a coordinator reports ENDED: the driver unregistered the application;
 *   <li>no coordinator has reported LIVE for a whole lease, measured in <em>lease time</em>.
 * </ul>
 *
 * Lease time advances only between two consecutive replies of one coordinator, and stops while no
 * coordinator replies: a server without connection to its coordinators keeps all data. It advances
 * only when a reply arrives, so that a period without replies is never counted afterwards. If
 * coordinators reply alternately, lease time may be slower than the clock, but is never faster. One
 * reply adds at most a third of a lease. So after a server was suspended, the first coordinator to
 * reply cannot expire an application that the next coordinator reports as LIVE.
 *
 * <p>A coordinator that replies for the first time, or again after a failure, may have restarted
 * without its applications. If this reply reports an application as UNKNOWN, the application gets a
 * new lease, so that its driver can register again with that coordinator.
 *
 * <p>An application gets its first lease when the server first stores data of it.
 *
 * <p>Thread-safe.
 */
public final class LeaseTable {
  /** Reason for removing an application. */
  public enum Reason {
    /** Its driver unregistered it. */
    ENDED,
    /** Its lease expired: no coordinator reported it as LIVE for a whole lease. */
    LEASE_OUT
  }

  /** An application that the server must remove now. */
  public record Expiry(String application, Reason reason) {}

  private static final int MAX_STEP_DIVISOR = 3;

  private final LongSupplier clockMs;
  private final long minLeaseMs;

  /** Lease time at which each application was last reported as LIVE, or was added. */
  private final TreeMap<String, Long> lastLiveAt = new TreeMap<>();

  /** Time of the latest reply of each coordinator; absent if it never replied or failed since. */
  private final Map<String, Long> answeredAtMs = new HashMap<>();

  /** Lease duration that each coordinator grants. */
  private final Map<String, Long> grantedMs = new HashMap<>();

  private long leaseTimeMs;
  private long coveredUntilMs = Long.MIN_VALUE;

  /**
   * @param clockMs monotonic clock, in milliseconds from any origin
   * @param minLeaseMs minimum lease, used while no coordinator grants a longer one
   */
  public LeaseTable(LongSupplier clockMs, long minLeaseMs) {
    if (minLeaseMs <= 0) {
      throw new IllegalArgumentException("lease must be positive: " + minLeaseMs);
    }
    this.clockMs = clockMs;
    this.minLeaseMs = minLeaseMs;
  }

  /** Sets the applications that have data on the server: adds new ones and drops all others. */
  public synchronized void setApplications(Collection<String> applications) {
    lastLiveAt.keySet().retainAll(new HashSet<>(applications));
    for (String application : applications) {
      lastLiveAt.putIfAbsent(application, leaseTimeMs);
    }
  }

  /**
   * A coordinator replied to a heartbeat.
   *
   * @param grantedLeaseMs lease that the coordinator grants; 0 or less if not set
   * @param answers state of each application in the heartbeat
   * @return applications to remove now; each is returned once and is dropped from this table
   */
  public synchronized List<Expiry> answered(
      String coordinator, long grantedLeaseMs, List<ApplicationLease> answers) {
    long nowMs = clockMs.getAsLong();
    Long previousMs = answeredAtMs.put(coordinator, nowMs);
    boolean begins = previousMs == null;
    if (!begins) {
      long fromMs = Math.max(previousMs, coveredUntilMs);
      leaseTimeMs += Math.min(Math.max(0, nowMs - fromMs), leaseMs() / MAX_STEP_DIVISOR);
    }
    coveredUntilMs = Math.max(coveredUntilMs, nowMs);
    if (grantedLeaseMs > 0) {
      grantedMs.put(coordinator, grantedLeaseMs);
    }

    List<Expiry> expired = new ArrayList<>();
    for (ApplicationLease answer : answers) {
      String application = answer.getApplication();
      if (!lastLiveAt.containsKey(application)) {
        continue;
      }
      switch (answer.getState()) {
        case LIVE -> lastLiveAt.put(application, leaseTimeMs);
        case ENDED -> {
          lastLiveAt.remove(application);
          expired.add(new Expiry(application, Reason.ENDED));
        }
        case UNKNOWN, STATE_UNSPECIFIED, UNRECOGNIZED -> {
          if (begins) {
            lastLiveAt.put(application, leaseTimeMs);
          }
        }
      }
    }
    long leaseMs = leaseMs();
    lastLiveAt
        .entrySet()
        .removeIf(
            entry -> {
              boolean out = leaseTimeMs - entry.getValue() >= leaseMs;
              if (out) {
                expired.add(new Expiry(entry.getKey(), Reason.LEASE_OUT));
              }
              return out;
            });
    return expired;
  }

  /** A heartbeat to a coordinator failed: the time since its latest reply is not counted. */
  public synchronized void failed(String coordinator) {
    answeredAtMs.remove(coordinator);
  }

  /** Effective lease: the longest lease that a coordinator grants, but at least the minimum. */
  public synchronized long leaseMs() {
    long longest = minLeaseMs;
    for (long granted : grantedMs.values()) {
      longest = Math.max(longest, granted);
    }
    return longest;
  }

  /** Applications with a lease. */
  public synchronized Set<String> applications() {
    return Set.copyOf(lastLiveAt.keySet());
  }
}
