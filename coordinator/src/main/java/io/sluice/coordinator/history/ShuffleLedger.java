package io.sluice.coordinator.history;

import io.sluice.coordinator.state.MetadataRecord;
import java.time.Clock;
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

  private final Clock clock;
  private final int capacity;

  // All guarded by this.
  private final Map<String, TreeMap<Integer, AssignedShuffle>> byApplication = new HashMap<>();
  private final Deque<Key> order = new ArrayDeque<>();
  private final Map<String, Long> partitionsByServer = new HashMap<>();

  public ShuffleLedger(Clock clock) {
    this(clock, CAPACITY);
  }

  ShuffleLedger(Clock clock, int capacity) {
    this.clock = clock;
    this.capacity = capacity;
  }

  /** Takes note of a change of the coordinator's state. */
  public synchronized void changed(MetadataRecord record) {
    if (record instanceof MetadataRecord.ShuffleAssigned assigned) {
      assigned(assigned);
    } else if (record instanceof MetadataRecord.ApplicationEnded ended) {
      forget(ended.application());
    } else if (record instanceof MetadataRecord.ApplicationExpired expired) {
      forget(expired.application());
    } else if (record instanceof MetadataRecord.ServerForgotten server) {
      partitionsByServer.remove(server.server());
    } else if (record instanceof MetadataRecord.ServerLeft server) {
      partitionsByServer.remove(server.server());
    }
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

  private void assigned(MetadataRecord.ShuffleAssigned record) {
    record
        .partitionsByServer()
        .forEach((server, count) -> partitionsByServer.merge(server, (long) count, Long::sum));
    Key key = new Key(record.application(), record.shuffle());
    TreeMap<Integer, AssignedShuffle> shuffles =
        byApplication.computeIfAbsent(record.application(), unused -> new TreeMap<>());
    AssignedShuffle known = shuffles.get(record.shuffle());
    Map<String, Integer> servers = new HashMap<>(record.partitionsByServer());
    if (known != null) {
      known
          .partitionsByServer()
          .forEach((server, count) -> servers.merge(server, count, Integer::sum));
    } else {
      order.addLast(key);
    }
    shuffles.put(
        record.shuffle(),
        new AssignedShuffle(
            record.application(),
            record.shuffle(),
            record.partitionCount(),
            record.replicas(),
            servers,
            known == null ? 1 : known.assignments() + 1,
            known == null ? clock.instant() : known.assignedAt()));
    while (order.size() > capacity) {
      drop(order.removeFirst());
    }
  }

  private void forget(String application) {
    if (byApplication.remove(application) != null) {
      order.removeIf(key -> key.application().equals(application));
    }
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
