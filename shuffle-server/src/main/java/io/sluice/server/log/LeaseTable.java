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
 * Decides when the server forgets an application. Two things end one:
 *
 * <ul>
 *   <li>a coordinator says ENDED: the driver unregistered it;
 *   <li>no coordinator has said LIVE for a whole lease of <em>lease time</em>.
 * </ul>
 *
 * Lease time is the time in which somebody could have said LIVE. It passes between two answers of
 * one coordinator in a row, and stands still while none answers: a server that is cut off from its
 * coordinators, or outlives them, keeps everything. It advances only when an answer arrives, so an
 * unanswered stretch never counts in hindsight; where coordinators answer by turns it may fall
 * behind the clock, never run ahead of it. One answer adds at most a third of a lease: after a
 * server was suspended, the coordinator that happens to answer first cannot end what the next one
 * is about to call alive.
 *
 * <p>A coordinator that begins to answer, for the first time or after a failure, may have started
 * anew and know nobody. When it calls an application UNKNOWN, the application has a whole lease
 * from then on, in which its driver will have registered again with that coordinator.
 *
 * <p>An application enters with a whole lease when the server first holds data of it.
 *
 * <p>Thread-safe.
 */
public final class LeaseTable {
  /** Why an application is to be forgotten. */
  public enum Reason {
    /** Its driver unregistered it. */
    ENDED,
    /** No coordinator called it alive for a whole lease. */
    LEASE_OUT
  }

  /** An application that the server is to forget now. */
  public record Expiry(String application, Reason reason) {}

  private static final int LARGEST_STEP_DIVISOR = 3;

  private final LongSupplier clockMs;
  private final long leastLeaseMs;

  /** Lease time at which each held application was last called alive, or came in. */
  private final TreeMap<String, Long> lastLiveAt = new TreeMap<>();

  /** When each coordinator answered last; absent: never, or it has failed since. */
  private final Map<String, Long> answeredAtMs = new HashMap<>();

  /** What each coordinator grants. */
  private final Map<String, Long> grantedMs = new HashMap<>();

  private long leaseTimeMs;
  private long coveredUntilMs = Long.MIN_VALUE;

  /**
   * @param clockMs a clock that never steps back, in milliseconds from any origin
   * @param leastLeaseMs patience while no coordinator has granted a longer one
   */
  public LeaseTable(LongSupplier clockMs, long leastLeaseMs) {
    if (leastLeaseMs <= 0) {
      throw new IllegalArgumentException("lease must be positive: " + leastLeaseMs);
    }
    this.clockMs = clockMs;
    this.leastLeaseMs = leastLeaseMs;
  }

  /** Takes note of all applications that the server holds data of now; others are dropped. */
  public synchronized void hold(Collection<String> applications) {
    lastLiveAt.keySet().retainAll(new HashSet<>(applications));
    for (String application : applications) {
      lastLiveAt.putIfAbsent(application, leaseTimeMs);
    }
  }

  /**
   * A coordinator has answered a heartbeat.
   *
   * @param grantedLeaseMs the lease that it grants; 0 or less: it did not say
   * @param answers what it said of the applications that were named to it
   * @return the applications to forget now; each is reported once and is no longer held
   */
  public synchronized List<Expiry> answered(
      String coordinator, long grantedLeaseMs, List<ApplicationLease> answers) {
    long nowMs = clockMs.getAsLong();
    Long previousMs = answeredAtMs.put(coordinator, nowMs);
    boolean begins = previousMs == null;
    if (!begins) {
      long fromMs = Math.max(previousMs, coveredUntilMs);
      leaseTimeMs += Math.min(Math.max(0, nowMs - fromMs), leaseMs() / LARGEST_STEP_DIVISOR);
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

  /** A coordinator did not answer a heartbeat: the time since its last answer does not count. */
  public synchronized void failed(String coordinator) {
    answeredAtMs.remove(coordinator);
  }

  /** The patience in force: the longest lease that a coordinator grants, or the least one. */
  public synchronized long leaseMs() {
    long longest = leastLeaseMs;
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
