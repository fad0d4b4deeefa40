package io.sluice.mr.am;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.proto.ServerId;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The job's newest assignment, and the only place where it changes: when a task has waited for a
 * server in vain, another one stands in for it, for tasks that start later. Thread-safe.
 */
final class JobAssignment {
  private static final Logger LOG = LoggerFactory.getLogger(JobAssignment.class);

  private final int maxFurtherServers;
  private final Source source;
  private final Set<String> searched = new HashSet<>();
  private volatile ShuffleAssignment newest;
  // Guarded by this.
  private int furtherServers;

  /** Where further servers come from. */
  interface Source {
    /** One more server, none of the excluded ones; waits for a bounded time. */
    Optional<ServerId> furtherServer(int partitions, Collection<String> excluded);
  }

  /**
   * @param maxFurtherServers most servers that come in addition to the first ones; 0: the
   *     assignment never changes
   */
  JobAssignment(ShuffleAssignment first, int maxFurtherServers, Source source) {
    this.newest = first;
    this.maxFurtherServers = maxFurtherServers;
    this.source = source;
  }

  ShuffleAssignment newest() {
    return newest;
  }

  /**
   * Lets another server stand in for one, if there is one. Each server is searched for once: tasks
   * ask by the hundred.
   *
   * @return whether there is a new generation
   */
  synchronized boolean replace(String server) {
    ShuffleAssignment before = newest;
    if (maxFurtherServers == 0
        || before.indexOf(server) < 0
        || before.hasReplaced(server)
        || !searched.add(server)) {
      return false;
    }
    Optional<ServerId> by = find(before, server);
    if (by.isEmpty()) {
      LOG.warn("no further server server={}", server);
      return false;
    }
    newest = before.replaceFailed(server, by.get());
    LOG.info(
        "further server server={} by={} generation={}",
        server,
        by.get().getName(),
        newest.generation());
    return true;
  }

  private Optional<ServerId> find(ShuffleAssignment now, String server) {
    if (furtherServers < maxFurtherServers) {
      Set<String> excluded = new HashSet<>(searched);
      now.servers().forEach(one -> excluded.add(one.getName()));
      Optional<ServerId> found = source.furtherServer(partitionsOf(now, server), excluded);
      if (found.isPresent()) {
        furtherServers++;
        return found;
      }
    }
    return now.servers().stream()
        .filter(one -> !searched.contains(one.getName()) && !now.hasReplaced(one.getName()))
        .filter(one -> !sharesRange(now, server, one.getName()))
        .findFirst();
  }

  private static int partitionsOf(ShuffleAssignment now, String server) {
    int index = now.indexOf(server);
    return Math.max(
        1,
        IntStream.range(0, now.rangeCount())
            .filter(range -> has(now, range, index))
            .map(range -> now.lastPartition(range) - now.firstPartition(range) + 1)
            .sum());
  }

  /** Whether the other one has the same partitions, as copies or since an earlier failure. */
  private static boolean sharesRange(ShuffleAssignment now, String server, String other) {
    int one = now.indexOf(server);
    int two = now.indexOf(other);
    return IntStream.range(0, now.rangeCount())
        .anyMatch(range -> has(now, range, one) && has(now, range, two));
  }

  private static boolean has(ShuffleAssignment now, int range, int server) {
    return IntStream.range(0, now.replicaCount(range))
        .anyMatch(
            replica ->
                IntStream.range(0, now.chainLength(range, replica))
                    .anyMatch(place -> now.chainServer(range, replica, place) == server));
  }
}
