package io.sluice.coordinator.history;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Assigned servers of the latest shuffles of live applications, and the number of partitions that
 * were assigned to each server; and the receipts that drivers report, of at most 256 shuffles of
 * each live application. Bounded: the oldest shuffles are removed first. Thread-safe.
 */
public final class ShuffleLedger {
  /** Maximum number of shuffles, about 1 KB each with nine servers. */
  static final int CAPACITY = 10_000;

  private record Key(String application, int shuffle) {}

  private final int capacity;

  // All fields below are guarded by this.
  private final Map<String, TreeMap<Integer, AssignedShuffle>> byApplication = new HashMap<>();
  private final Deque<Key> order = new ArrayDeque<>();
  private final Map<String, Long> partitionsByServer = new HashMap<>();
  private final Map<String, Map<Integer, Receipts>> receipts = new HashMap<>();

  ShuffleLedger() {
    this(CAPACITY);
  }

  ShuffleLedger(int capacity) {
    this.capacity = capacity;
  }

  /**
   * Adds an assignment of a new shuffle, or more servers of a known one.
   *
   * @param replicas replicas of each partition
   * @param partitions number of partitions by server, replicas counted
   */
  public synchronized void assigned(
      String application,
      int shuffle,
      int partitionCount,
      int replicas,
      Map<String, Integer> partitions,
      Instant at) {
    partitions.forEach(
        (server, count) -> partitionsByServer.merge(server, (long) count, Long::sum));
    TreeMap<Integer, AssignedShuffle> shuffles =
        byApplication.computeIfAbsent(application, unused -> new TreeMap<>());
    AssignedShuffle known = shuffles.get(shuffle);
    Map<String, Integer> servers = new HashMap<>(partitions);
    if (known != null) {
      known
          .partitionsByServer()
          .forEach((server, count) -> servers.merge(server, count, Integer::sum));
    } else {
      order.addLast(new Key(application, shuffle));
    }
    shuffles.put(
        shuffle,
        new AssignedShuffle(
            application,
            shuffle,
            partitionCount,
            replicas,
            servers,
            known == null ? 1 : known.assignments() + 1,
            known == null ? at : known.assignedAt()));
    while (order.size() > capacity) {
      drop(order.removeFirst());
    }
  }

  /** Replaces the receipts of the shuffles of an application. */
  public synchronized void reported(String application, Map<Integer, Receipts> reported) {
    receipts.put(application, Map.copyOf(reported));
  }

  /** The receipts of a shuffle; empty if its driver has reported none. */
  public synchronized Optional<Receipts> receipts(String application, int shuffle) {
    return Optional.ofNullable(receipts.getOrDefault(application, Map.of()).get(shuffle));
  }

  public synchronized void forgetApplication(String application) {
    receipts.remove(application);
    if (byApplication.remove(application) != null) {
      order.removeIf(key -> key.application().equals(application));
    }
  }

  public synchronized void forgetServer(String server) {
    partitionsByServer.remove(server);
  }

  /** Returns the known shuffles of an application, by number. */
  public synchronized List<AssignedShuffle> of(String application) {
    TreeMap<Integer, AssignedShuffle> shuffles = byApplication.get(application);
    return shuffles == null ? List.of() : new ArrayList<>(shuffles.values());
  }

  /**
   * Number of partitions, replicas counted, assigned to a server since this coordinator started.
   */
  public synchronized long partitionsAssignedTo(String server) {
    return partitionsByServer.getOrDefault(server, 0L);
  }

  private void drop(Key key) {
    TreeMap<Integer, AssignedShuffle> shuffles = byApplication.get(key.application());
    if (shuffles != null) {
      shuffles.remove(key.shuffle());
      if (shuffles.isEmpty()) {
        byApplication.remove(key.application());
      }
    }
  }
}
