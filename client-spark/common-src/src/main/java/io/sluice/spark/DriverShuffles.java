package io.sluice.spark;

import io.sluice.client.coordinator.ApplicationSession;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.coordinator.ShuffleRegistration;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.client.coordinator.ShuffleRegistration.Reason;
import io.sluice.client.coordinator.ShuffleRegistration.Refused;
import io.sluice.client.push.ApplicationAssignments;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The driver's shuffles: which have servers, and whether any has had to do without. Warns once for
 * each reason to do without. Thread-safe: Spark registers shuffles from the threads of its users.
 */
public final class DriverShuffles {
  private static final Logger LOG = LoggerFactory.getLogger(DriverShuffles.class);

  private final ApplicationSession session;
  private final ApplicationAssignments assignments;
  private final Refusals refused;
  private final Set<Integer> assigned = ConcurrentHashMap.newKeySet();
  private final Map<Reason, Long> refusals = new EnumMap<>(Reason.class);
  private volatile boolean smallOnLocalDisks;

  /**
   * @param session borrows
   * @param assignments borrows: told of every shuffle that has servers, as long as it has
   * @param refused told of every shuffle that has none
   */
  public DriverShuffles(
      ApplicationSession session, ApplicationAssignments assignments, Refusals refused) {
    this.session = session;
    this.assignments = assignments;
    this.refused = refused;
  }

  /** Hears of shuffles that are Spark's own. */
  @FunctionalInterface
  public interface Refusals {
    /**
     * @param why in words
     */
    void refused(int shuffleId, int partitions, String why);
  }

  /** Asks for servers; empty: this shuffle is to use Spark's own. */
  public Optional<ShuffleAssignment> register(int shuffleId, int partitions) {
    ShuffleRegistration registration = session.registerShuffle(shuffleId, partitions);
    if (registration instanceof Assigned found) {
      assigned.add(shuffleId);
      assignments.register(found.assignment());
      return Optional.of(found.assignment());
    }
    refuse((Refused) registration, shuffleId, partitions);
    return Optional.empty();
  }

  /** Notes that a shuffle uses Spark's own. */
  public void refuse(Refused why, int shuffleId, int partitions) {
    long times;
    synchronized (refusals) {
      times = refusals.merge(why.reason(), 1L, Long::sum);
    }
    refused.refused(shuffleId, partitions, why.reason() + ": " + why.message());
    if (times == 1) {
      LOG.warn(
          "using Spark's own shuffle reason={} shuffle={} message=\"{}\""
              + " (said once; later shuffles may do the same)",
          why.reason(),
          shuffleId,
          why.message());
    } else {
      LOG.debug("Spark's own shuffle used again reason={} shuffle={}", why.reason(), shuffleId);
    }
  }

  /** Notes that a shuffle is so small that Spark's own serves it best. */
  public void leaveSmall(int shuffleId, long inputBytes) {
    smallOnLocalDisks = true;
    LOG.info("small shuffle left to Spark shuffle={} inputBytes={}", shuffleId, inputBytes);
  }

  /** Frees a shuffle at the servers, in the background. */
  public void unregister(int shuffleId) {
    if (assigned.remove(shuffleId)) {
      assignments.forget(shuffleId);
      session.unregisterShuffle(shuffleId);
    }
  }

  /** The shuffles that have servers at this time. */
  public Collection<Integer> assigned() {
    return List.copyOf(assigned);
  }

  /** Whether some shuffle of this application lies on executors' disks. */
  public boolean anyOnLocalDisks() {
    synchronized (refusals) {
      return smallOnLocalDisks || !refusals.isEmpty();
    }
  }
}
