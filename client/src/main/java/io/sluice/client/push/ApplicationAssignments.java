package io.sluice.client.push;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.ReplacementServers.Cause;
import io.sluice.proto.ServerId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest assignment of every shuffle of an application, at its driver or application master,
 * and the only place where one changes: when a task says that a server failed, or is full for some
 * partitions, another server is put in; and when a server leaves, the one that takes what it had.
 *
 * <p>Tasks that report the same get the same answer. Changes of one shuffle come one after another;
 * a change may wait for a coordinator, reading the newest never waits. Thread-safe.
 */
public final class ApplicationAssignments {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationAssignments.class);

  /** How long a server that failed one shuffle is not given to another. */
  private static final long NANOS_AVOIDED = TimeUnit.MINUTES.toNanos(1);

  /** How long a search without result is not repeated: tasks ask by the hundred. */
  private static final long NANOS_WITHOUT_SEARCH = TimeUnit.SECONDS.toNanos(10);

  private final Source source;
  private final int maxReplacementServers;
  private final LongSupplier nanoTime;
  private final ConcurrentMap<Integer, Shuffle> shuffles = new ConcurrentHashMap<>();

  /** When servers failed for some shuffle of this application, by their names. */
  private final ConcurrentMap<String, Long> failedNanos = new ConcurrentHashMap<>();

  /** Where further servers come from. */
  public interface Source {
    /**
     * One more server for a shuffle; waits for a bounded time.
     *
     * @param partitions how many are to move there
     * @param excluded names of servers that will not do
     */
    Optional<ServerId> replacementServer(int shuffle, int partitions, Collection<String> excluded);
  }

  private static final class Shuffle {
    volatile ShuffleAssignment newest;
    // Guarded by this.
    final Set<String> replacementServers = new HashSet<>();
    final Map<String, Long> searchedNanos = new HashMap<>();

    Shuffle(ShuffleAssignment first) {
      newest = first;
    }
  }

  /**
   * @param maxReplacementServers most different servers that a shuffle gets in addition to its
   *     first; 0: assignments never change
   */
  public ApplicationAssignments(Source source, int maxReplacementServers, LongSupplier nanoTime) {
    this.source = source;
    this.maxReplacementServers = maxReplacementServers;
    this.nanoTime = nanoTime;
  }

  public void register(ShuffleAssignment assignment) {
    shuffles.put(assignment.shuffle().getShuffle(), new Shuffle(assignment));
  }

  public void forget(int shuffle) {
    shuffles.remove(shuffle);
  }

  /** The newest assignment; null if the shuffle is not or no longer known. */
  public ShuffleAssignment newest(int shuffle) {
    Shuffle known = shuffles.get(shuffle);
    return known == null ? null : known.newest;
  }

  /**
   * The partitions, ascending, of whose every copy some part is meant to be at one of these
   * servers; none if the shuffle is not known.
   */
  public int[] partitionsOnlyAt(int shuffle, Collection<String> servers) {
    ShuffleAssignment now = newest(shuffle);
    if (now == null) {
      return new int[0];
    }
    Set<Integer> indexes = new HashSet<>();
    servers.forEach(name -> indexes.add(now.indexOf(name)));
    return IntStream.range(0, now.rangeCount())
        .filter(range -> isOnlyAt(now, range, indexes))
        .flatMap(
            range -> IntStream.rangeClosed(now.firstPartition(range), now.lastPartition(range)))
        .toArray();
  }

  private static boolean isOnlyAt(ShuffleAssignment now, int range, Set<Integer> servers) {
    return IntStream.range(0, now.replicaCount(range))
        .allMatch(
            replica ->
                IntStream.range(0, now.chainLength(range, replica))
                    .anyMatch(place -> servers.contains(now.chainServer(range, replica, place))));
  }

  /** Further servers that shuffles have now, each counted once for each shuffle. */
  public long replacementServers() {
    long count = 0;
    for (Shuffle shuffle : shuffles.values()) {
      synchronized (shuffle) {
        count += shuffle.replacementServers.size();
      }
    }
    return count;
  }

  /**
   * Puts another server in, if there is one and nobody has done so before.
   *
   * @param server name of the one to pass by
   * @param partitions those that are full, ascending; empty for {@link Cause#FAILED}
   * @return the newest assignment, changed or not; null if the shuffle is not known
   */
  public ShuffleAssignment replace(
      int shuffle, String server, Cause cause, List<Integer> partitions) {
    Shuffle known = shuffles.get(shuffle);
    if (known == null) {
      return null;
    }
    if (maxReplacementServers == 0) {
      return known.newest;
    }
    if (cause == Cause.FAILED) {
      failedNanos.put(server, nanoTime.getAsLong());
    }
    synchronized (known) {
      ShuffleAssignment before = known.newest;
      if (before.indexOf(server) < 0 || before.hasReplaced(server)) {
        return before;
      }
      List<Integer> affected =
          switch (cause) {
            case FAILED -> partitionsOf(before, server);
            case FULL -> before.pushedTo(server, partitions);
          };
      Optional<ServerId> by =
          affected.isEmpty() ? Optional.empty() : find(known, server, cause, affected);
      if (by.isEmpty()) {
        return before;
      }
      ShuffleAssignment after =
          switch (cause) {
            case FAILED -> before.replaceFailed(server, by.get());
            case FULL ->
                before.replaceFull(
                    server, affected.stream().mapToInt(Integer::intValue).toArray(), by.get());
          };
      known.newest = after;
      LOG.info(
          "further server shuffle={} server={} cause={} by={} partitions={} generation={}",
          shuffle,
          server,
          cause,
          by.get().getName(),
          affected.size(),
          after.generation());
      return after;
    }
  }

  /**
   * A leaving server copies what it has of a shuffle to another one: writers go there, and readers
   * look there as well. Saying so again changes nothing.
   *
   * @param from name of the leaving server
   * @return whether everybody who asks knows of it from now on, or nobody needs to; false where
   *     assignments never change
   */
  public boolean moved(int shuffle, String from, ServerId to) {
    Shuffle known = shuffles.get(shuffle);
    if (known == null) {
      return true;
    }
    if (maxReplacementServers == 0) {
      return false;
    }
    synchronized (known) {
      ShuffleAssignment before = known.newest;
      if (before.indexOf(from) < 0) {
        return true;
      }
      ShuffleAssignment after = before.moved(from, to);
      if (after.generation() > before.generation()) {
        if (before.indexOf(to.getName()) < 0) {
          known.replacementServers.add(to.getName());
        }
        known.newest = after;
        LOG.info(
            "server leaves, another has what it had shuffle={} server={} to={} generation={}",
            shuffle,
            from,
            to.getName(),
            after.generation());
      }
      return true;
    }
  }

  private Optional<ServerId> find(
      Shuffle shuffle, String server, Cause cause, List<Integer> affected) {
    ShuffleAssignment now = shuffle.newest;
    int number = now.shuffle().getShuffle();
    String search = cause + " " + server;
    Long searched = shuffle.searchedNanos.get(search);
    if (searched != null && nanoTime.getAsLong() - searched < NANOS_WITHOUT_SEARCH) {
      return Optional.empty();
    }
    Set<String> failed = new HashSet<>();
    failedNanos.forEach(
        (name, nanos) -> {
          if (nanoTime.getAsLong() - nanos < NANOS_AVOIDED) {
            failed.add(name);
          }
        });
    Optional<ServerId> found = Optional.empty();
    Set<String> avoided = Set.of();
    for (Set<String> candidate : avoidable(now, server, cause, affected, failed)) {
      avoided = candidate;
      found = find(shuffle, affected, avoided);
      if (found.isPresent()) {
        break;
      }
    }
    if (found.isPresent()) {
      if (now.indexOf(found.get().getName()) < 0) {
        shuffle.replacementServers.add(found.get().getName());
      }
      shuffle.searchedNanos.remove(search);
    } else {
      shuffle.searchedNanos.put(search, nanoTime.getAsLong());
      LOG.warn(
          "no further server shuffle={} server={} cause={} partitions={} excluded={}",
          number,
          server,
          cause,
          affected.size(),
          avoided);
    }
    return found;
  }

  /**
   * Whom to avoid, from the best case to the last resort: a server that has none of the partitions
   * and did not fail, one that has some, one that failed but may be well again.
   */
  private static Set<Set<String>> avoidable(
      ShuffleAssignment now,
      String server,
      Cause cause,
      List<Integer> affected,
      Set<String> failed) {
    Set<Set<String>> all = new LinkedHashSet<>();
    for (Set<String> more : List.of(failed, Set.<String>of())) {
      // Who has some of the partitions may stand in for a server that has failed, as far as it
      // goes.
      for (boolean havingAll : cause == Cause.FAILED ? List.of(false, true) : List.of(false)) {
        Set<String> avoided = useless(now, server, affected, havingAll);
        avoided.addAll(more);
        all.add(avoided);
      }
    }
    return all;
  }

  private Optional<ServerId> find(Shuffle shuffle, List<Integer> affected, Set<String> avoided) {
    ShuffleAssignment now = shuffle.newest;
    Optional<ServerId> found = Optional.empty();
    if (shuffle.replacementServers.size() < maxReplacementServers) {
      found = source.replacementServer(now.shuffle().getShuffle(), affected.size(), avoided);
    }
    return found.isPresent() ? found : firstUsable(now, avoided);
  }

  /**
   * The server itself, those that failed as well, and those that have the partitions already.
   *
   * @param havingAll whether only those that have all of them are meant
   */
  private static Set<String> useless(
      ShuffleAssignment now, String server, List<Integer> affected, boolean havingAll) {
    Set<String> having = new HashSet<>();
    int lastRange = -1;
    for (int partition : affected) {
      int range = now.rangeOf(partition);
      if (range == lastRange) {
        continue;
      }
      Set<String> here = holders(now, range);
      if (havingAll && lastRange >= 0) {
        having.retainAll(here);
      } else {
        having.addAll(here);
      }
      lastRange = range;
    }
    having.add(server);
    for (ServerId one : now.servers()) {
      if (now.hasReplaced(one.getName())) {
        having.add(one.getName());
      }
    }
    return having;
  }

  private static Set<String> holders(ShuffleAssignment now, int range) {
    Set<String> names = new HashSet<>();
    for (int replica = 0; replica < now.replicaCount(range); replica++) {
      for (int place = 0; place < now.chainLength(range, replica); place++) {
        names.add(now.servers().get(now.chainServer(range, replica, place)).getName());
      }
    }
    return names;
  }

  /** The partitions in whose chains the server is. */
  private static List<Integer> partitionsOf(ShuffleAssignment now, String server) {
    int index = now.indexOf(server);
    List<Integer> partitions = new ArrayList<>();
    for (int range = 0; range < now.rangeCount(); range++) {
      if (inRange(now, range, index)) {
        for (int p = now.firstPartition(range); p <= now.lastPartition(range); p++) {
          partitions.add(p);
        }
      }
    }
    return partitions;
  }

  private static boolean inRange(ShuffleAssignment now, int range, int server) {
    for (int replica = 0; replica < now.replicaCount(range); replica++) {
      for (int place = 0; place < now.chainLength(range, replica); place++) {
        if (now.chainServer(range, replica, place) == server) {
          return true;
        }
      }
    }
    return false;
  }

  /** A server that the shuffle uses already for other partitions. */
  private static Optional<ServerId> firstUsable(ShuffleAssignment of, Set<String> excluded) {
    List<ServerId> servers = of.servers();
    for (int i = 0; i < servers.size(); i++) {
      // Not the same one for every failure.
      ServerId one = servers.get((of.generation() + i) % servers.size());
      if (!excluded.contains(one.getName())) {
        return Optional.of(one);
      }
    }
    return Optional.empty();
  }
}
