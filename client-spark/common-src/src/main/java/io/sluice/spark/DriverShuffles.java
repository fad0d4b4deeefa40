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
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Driver: registers shuffles with the coordinator and records which of them use shuffle servers and
 * which fall back to Spark's built-in shuffle. Logs one warning per fallback reason. Thread-safe:
 * Spark registers shuffles from user threads.
 */
public final class DriverShuffles {
  private static final Logger LOG = LoggerFactory.getLogger(DriverShuffles.class);

  private final ApplicationSession session;
  private final ApplicationAssignments assignments;
  private final Refusals refused;
  private final Set<Integer> assigned = ConcurrentHashMap.newKeySet();
  private final Map<Reason, Long> refusals = new EnumMap<>(Reason.class);
  private final AtomicBoolean smallOnLocalDisks = new AtomicBoolean();

  /**
   * @param session borrows
   * @param assignments borrows; stores the assignment of every shuffle that uses servers, until the
   *     shuffle is unregistered
   * @param refused notified of every shuffle that falls back
   */
  public DriverShuffles(
      ApplicationSession session, ApplicationAssignments assignments, Refusals refused) {
    this.session = session;
    this.assignments = assignments;
    this.refused = refused;
  }

  /** Listener for shuffles that fall back to Spark's built-in shuffle. */
  @FunctionalInterface
  public interface Refusals {
    /**
     * @param why reason code and message
     */
    void refused(int shuffleId, int partitions, String why);
  }

  /** Requests servers for a shuffle; empty if the shuffle must use Spark's built-in shuffle. */
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

  /** Records that a shuffle falls back to Spark's built-in shuffle. */
  public void refuse(Refused why, int shuffleId, int partitions) {
    long times;
    synchronized (refusals) {
      times = refusals.merge(why.reason(), 1L, Long::sum);
    }
    refused.refused(shuffleId, partitions, why.reason() + ": " + why.message());
    if (times == 1) {
      LOG.warn(
          "falling back to Spark's built-in shuffle, logged once per reason shuffle={} reason={}"
              + " message=\"{}\"",
          shuffleId,
          why.reason(),
          why.message());
    } else {
      LOG.debug(
          "shuffle also uses Spark's built-in shuffle shuffle={} reason={}",
          shuffleId,
          why.reason());
    }
  }

  /**
   * Records that a shuffle uses the built-in shuffle because its input is below {@code
   * spark.rss.auto.local.threshold}.
   */
  public void useBuiltInForSmall(int shuffleId, long inputBytes) {
    if (smallOnLocalDisks.compareAndSet(false, true)) {
      LOG.info(
          "small shuffle uses Spark's built-in shuffle, logged once per application shuffle={}"
              + " inputBytes={}",
          shuffleId,
          inputBytes);
    } else {
      LOG.debug(
          "small shuffle uses Spark's built-in shuffle shuffle={} inputBytes={}",
          shuffleId,
          inputBytes);
    }
  }

  /** Unregisters a shuffle in the background; servers then delete its data. */
  public void unregister(int shuffleId) {
    if (assigned.remove(shuffleId)) {
      assignments.forget(shuffleId);
      session.unregisterShuffle(shuffleId);
    }
  }

  /** The shuffles that use servers now. */
  public Collection<Integer> assigned() {
    return List.copyOf(assigned);
  }

  /** Whether any shuffle of this application is stored on executors' disks. */
  public boolean anyOnLocalDisks() {
    synchronized (refusals) {
      return smallOnLocalDisks.get() || !refusals.isEmpty();
    }
  }
}
