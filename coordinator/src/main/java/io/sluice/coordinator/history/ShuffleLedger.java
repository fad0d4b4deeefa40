package io.sluice.coordinator.history;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Where the latest shuffles of the live applications went, and how many partitions each server was
 * ever given. Bounded: the shuffles that were assigned first are forgotten first. Thread-safe.
 */
public final class ShuffleLedger {
  /** About a kilobyte each when a shuffle has nine servers. */
  static final int CAPACITY = 10_000;

  private record Key(String application, int shuffle) {}

  private final int capacity;

  // All guarded by this.
  private final Map<String, TreeMap<Integer, AssignedShuffle>> byApplication = new HashMap<>();
  private final Deque<Key> order = new ArrayDeque<>();
  private final Map<String, Long> partitionsByServer = new HashMap<>();

  ShuffleLedger() {
    this(CAPACITY);
  }

  ShuffleLedger(int capacity) {
    this.capacity = capacity;
  }

  /**
   * Adds an assignment: a new shuffle, or more servers for one that is known.
   *
   * @param replicas copies that there are servers for
   * @param given partitions by server, copies counted
   */
  public synchronized void assigned(
      String application,
      int shuffle,
      int partitionCount,
      int replicas,
      Map<String, Integer> given,
      Instant at) {
    given.forEach((server, count) -> partitionsByServer.merge(server, (long) count, Long::sum));
    TreeMap<Integer, AssignedShuffle> shuffles =
        byApplication.computeIfAbsent(application, unused -> new TreeMap<>());
    AssignedShuffle known = shuffles.get(shuffle);
    Map<String, Integer> servers = new HashMap<>(given);
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

  public synchronized void forgetApplication(String application) {
    if (byApplication.remove(application) != null) {
      order.removeIf(key -> key.application().equals(application));
    }
  }

  public synchronized void forgetServer(String server) {
    partitionsByServer.remove(server);
  }

  /** The shuffles of an application that are remembered, by number. */
  public synchronized List<AssignedShuffle> of(String application) {
    TreeMap<Integer, AssignedShuffle> shuffles = byApplication.get(application);
    return shuffles == null ? List.of() : new ArrayList<>(shuffles.values());
  }

  /** Partitions, copies counted, that a server was given since this coordinator started. */
  public synchronized long partitionsGivenTo(String server) {
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
