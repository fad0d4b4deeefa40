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
 * The newest assignment of every shuffle of an application. Owned by the driver or application
 * master, which alone changes assignments. An assignment changes in three cases: a task reports
 * that a server failed, a task reports that a server is full for some partitions, or a leaving
 * server moves its data. Each change adds one server.
 *
 * <p>Tasks with equal reports get equal answers. Changes of one shuffle are serialized by a lock,
 * under which a change may wait for a coordinator. {@link #newest} never waits. Thread-safe.
 */
public final class ApplicationAssignments {
  private static final Logger LOG = LoggerFactory.getLogger(ApplicationAssignments.class);

  /** Time for which a server that failed in one shuffle is not added to another one. */
  private static final long AVOID_FAILED_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Minimum time between two searches after one without result, as hundreds of tasks may ask. */
  private static final long SEARCH_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final Source source;
  private final int maxReplacementServers;
  private final LongSupplier nanoTime;
  private final ConcurrentMap<Integer, Shuffle> shuffles = new ConcurrentHashMap<>();

  /** Time of the last failure of a server in any shuffle of this application, by server name. */
  private final ConcurrentMap<String, Long> failedNanos = new ConcurrentHashMap<>();

  /** Supplies replacement and additional servers. */
  public interface Source {
    /**
     * Returns one more server for a shuffle; waits for a bounded time.
     *
     * @param partitions number of partitions for the new server
     * @param excluded names of servers that must not be returned
     */
    Optional<ServerId> replacementServer(
        int shuffle, int partitions, Collection<String> excluded, String zone);
  }

  private static final class Shuffle {
    volatile ShuffleAssignment newest;
    // Guarded by this.
    final Set<String> replacementServers = new HashSet<>();
    final Map<String, Long> searchedNanos = new HashMap<>();
    final Set<Move> moves = new LinkedHashSet<>();

    Shuffle(ShuffleAssignment first) {
      newest = first;
    }
  }

  /**
   * A move of the data of a leaving or lost server.
   *
   * @param from name of that server
   */
  private record Move(String from, ServerId to, boolean lost) {
    ShuffleAssignment applyTo(ShuffleAssignment assignment) {
      return lost ? assignment.adopted(from, to) : assignment.moved(from, to);
    }
  }

  /**
   * @param maxReplacementServers maximum number of servers that a shuffle gets in addition to its
   *     first ones; 0: assignments never change
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

  /** The newest assignment; null if the shuffle is not registered. */
  public ShuffleAssignment newest(int shuffle) {
    Shuffle known = shuffles.get(shuffle);
    return known == null ? null : known.newest;
  }

  /**
   * The partitions, ascending, whose every replica has a chain with at least one of these servers.
   * Empty if the shuffle is not registered.
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
                    .anyMatch(
                        position -> servers.contains(now.chainServer(range, replica, position))));
  }

  /** Number of replacement and additional servers now, counted once per shuffle. */
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
   * Adds a replacement or additional server, unless an earlier report has done so or no server is
   * available.
   *
   * @param server name of the server that failed or is full
   * @param partitions full partitions, ascending; empty for {@link Cause#FAILED}
   * @return the newest assignment, changed or not; null if the shuffle is not registered
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
      ShuffleAssignment replaced =
          switch (cause) {
            case FAILED -> before.replaceFailed(server, by.get());
            case FULL ->
                before.replaceFull(
                    server, affected.stream().mapToInt(Integer::intValue).toArray(), by.get());
          };
      ShuffleAssignment after = withMoves(known, replaced);
      known.newest = after;
      LOG.info(
          "server added to a shuffle application={} shuffle={} server={} cause={} addedServer={}"
              + " partitions={} generation={}",
          after.shuffle().getApplication(),
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
   * A leaving server copies its data of a shuffle to another server, or that server serves the runs
   * of a lost server on the remote tier. Map tasks then push there, and readers read from both.
   * Idempotent.
   *
   * @param from name of the leaving or lost server
   * @param lost whether that server is lost
   * @return whether later readers of the assignment find the data; false if assignments never
   *     change
   */
  public boolean moved(int shuffle, String from, ServerId to, boolean lost) {
    Shuffle known = shuffles.get(shuffle);
    if (known == null) {
      return true;
    }
    if (maxReplacementServers == 0) {
      return false;
    }
    synchronized (known) {
      ShuffleAssignment before = known.newest;
      known.moves.add(new Move(from, to, lost));
      ShuffleAssignment after = withMoves(known, before);
      if (after.generation() > before.generation()) {
        known.newest = after;
        LOG.info(
            "data of a {} server moves application={} shuffle={} server={} targetServer={}"
                + " generation={}",
            lost ? "lost" : "leaving",
            after.shuffle().getApplication(),
            shuffle,
            from,
            to.getName(),
            after.generation());
      }
      return true;
    }
  }

  /**
   * Applies all moves of a shuffle to a changed assignment. The change may have added a leaving
   * server to more chains: as the target of another move, or as a replacement. Its data is, or will
   * be, at its own target, which readers of these chains must find.
   */
  private static ShuffleAssignment withMoves(Shuffle shuffle, ShuffleAssignment changed) {
    ShuffleAssignment after = changed;
    int generation;
    do {
      generation = after.generation();
      for (Move move : shuffle.moves) {
        if (after.indexOf(move.from()) >= 0) {
          if (after.indexOf(move.to().getName()) < 0) {
            shuffle.replacementServers.add(move.to().getName());
          }
          after = move.applyTo(after);
        }
      }
    } while (after.generation() > generation);
    return after;
  }

  private Optional<ServerId> find(
      Shuffle shuffle, String server, Cause cause, List<Integer> affected) {
    ShuffleAssignment now = shuffle.newest;
    int number = now.shuffle().getShuffle();
    String search = cause + " " + server;
    Long searched = shuffle.searchedNanos.get(search);
    if (searched != null && nanoTime.getAsLong() - searched < SEARCH_INTERVAL_NANOS) {
      return Optional.empty();
    }
    Set<String> failed = new HashSet<>();
    failedNanos.forEach(
        (name, nanos) -> {
          if (nanoTime.getAsLong() - nanos < AVOID_FAILED_NANOS) {
            failed.add(name);
          }
        });
    Optional<ServerId> found = Optional.empty();
    Set<String> excluded = Set.of();
    for (Set<String> candidate : exclusions(now, server, cause, affected, failed)) {
      excluded = candidate;
      found = find(shuffle, server, affected, excluded);
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
          "no server available to add to a shuffle application={} shuffle={} server={} cause={}"
              + " partitions={} excluded={}",
          now.shuffle().getApplication(),
          number,
          server,
          cause,
          affected.size(),
          excluded);
    }
    return found;
  }

  /**
   * Sets of servers to exclude, tried in this order. The first accepts only servers that have none
   * of the partitions and did not fail; the next ones also accept servers with some of the
   * partitions, then servers that failed but may have recovered.
   */
  private static Set<Set<String>> exclusions(
      ShuffleAssignment now,
      String server,
      Cause cause,
      List<Integer> affected,
      Set<String> failed) {
    Set<Set<String>> all = new LinkedHashSet<>();
    for (Set<String> more : List.of(failed, Set.<String>of())) {
      // A server with some of the partitions may replace a failed one for the other partitions.
      for (boolean withAll : cause == Cause.FAILED ? List.of(false, true) : List.of(false)) {
        Set<String> excluded = excludedServers(now, server, affected, withAll);
        excluded.addAll(more);
        all.add(excluded);
      }
    }
    return all;
  }

  private Optional<ServerId> find(
      Shuffle shuffle, String server, List<Integer> affected, Set<String> excluded) {
    ShuffleAssignment now = shuffle.newest;
    Optional<ServerId> found = Optional.empty();
    if (shuffle.replacementServers.size() < maxReplacementServers) {
      String zone =
          now.servers().stream()
              .filter(one -> one.getName().equals(server))
              .map(ServerId::getZone)
              .findFirst()
              .orElse("");
      found = source.replacementServer(now.shuffle().getShuffle(), affected.size(), excluded, zone);
    }
    return found.isPresent() ? found : usedServer(now, excluded);
  }

  /**
   * Returns the server itself, the replaced servers, and servers that already have the partitions.
   *
   * @param withAll whether only servers that have all of the partitions are excluded
   */
  private static Set<String> excludedServers(
      ShuffleAssignment now, String server, List<Integer> affected, boolean withAll) {
    Set<String> excluded = new HashSet<>();
    int lastRange = -1;
    for (int partition : affected) {
      int range = now.rangeOf(partition);
      if (range == lastRange) {
        continue;
      }
      Set<String> members = serversOf(now, range);
      if (withAll && lastRange >= 0) {
        excluded.retainAll(members);
      } else {
        excluded.addAll(members);
      }
      lastRange = range;
    }
    excluded.add(server);
    for (ServerId one : now.servers()) {
      if (now.hasReplaced(one.getName())) {
        excluded.add(one.getName());
      }
    }
    return excluded;
  }

  private static Set<String> serversOf(ShuffleAssignment now, int range) {
    Set<String> names = new HashSet<>();
    for (int replica = 0; replica < now.replicaCount(range); replica++) {
      for (int position = 0; position < now.chainLength(range, replica); position++) {
        names.add(now.servers().get(now.chainServer(range, replica, position)).getName());
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
      for (int position = 0; position < now.chainLength(range, replica); position++) {
        if (now.chainServer(range, replica, position) == server) {
          return true;
        }
      }
    }
    return false;
  }

  /** Returns a server that the shuffle already uses for other partitions. */
  private static Optional<ServerId> usedServer(ShuffleAssignment of, Set<String> excluded) {
    List<ServerId> servers = of.servers();
    for (int i = 0; i < servers.size(); i++) {
      // Starts at a different server after each change.
      ServerId one = servers.get((of.generation() + i) % servers.size());
      if (!excluded.contains(one.getName())) {
        return Optional.of(one);
      }
    }
    return Optional.empty();
  }
}
