package io.sluice.server.background;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Selects the next shuffle to spill: first an application, then its largest shuffle in memory.
 *
 * <p>While memory is low, applications with at least half of their share of it take turns. The
 * share is the capacity divided by the number of applications with bytes in memory. The next one is
 * the one of which the fewest bytes were spilled (start-time fair queueing, Goyal, Vin and Cheng
 * 1996), and a run has at most half of a share. So an application that pushes less than its part of
 * the disks' bandwidth stays below its share of the memory, and does not wait for memory: half of
 * the share is in memory when its turn begins, and less than the other half arrives until its run
 * is written.
 *
 * <p>If no application has half of its share, the largest one is next. Applications that use little
 * memory keep their blocks in memory.
 *
 * <p>Not thread-safe: used by the planner.
 *
 * @param <S> a shuffle
 */
final class SpillOrder<S> {
  /** The share is at most half of the capacity, as in the memory budget. */
  private static final int MIN_APPLICATIONS = 2;

  private final Function<S, String> application;
  private final ToLongFunction<S> bufferedBytes;

  /**
   * By application: its spilled bytes since it began to take turns, plus the served tag of that
   * time.
   */
  private final Map<String, Long> tags = new HashMap<>();

  /** Applications that took turns at the last selection. */
  private Set<String> candidates = Set.of();

  /** Tag of the application that was selected last. */
  private long servedTag;

  /**
   * @param maxRunBytes maximum length of the run
   */
  record Turn<S>(S shuffle, long maxRunBytes) {}

  /**
   * @param bufferedBytes bytes of a shuffle in memory that can be spilled; may change at any time
   */
  SpillOrder(Function<S, String> application, ToLongFunction<S> bufferedBytes) {
    this.application = application;
    this.bufferedBytes = bufferedBytes;
  }

  /**
   * Selects the next shuffle.
   *
   * @param capacityBytes capacity of the memory
   * @param low whether memory must be freed; otherwise only {@code due} applications take turns
   * @param due applications that take turns in any case
   * @return null if none of these applications has bytes in memory
   */
  Turn<S> next(Collection<? extends S> shuffles, long capacityBytes, boolean low, Set<String> due) {
    Map<String, Long> bytes = new HashMap<>();
    for (S shuffle : shuffles) {
      long buffered = bufferedBytes.applyAsLong(shuffle);
      if (buffered > 0) {
        bytes.merge(application.apply(shuffle), buffered, Long::sum);
      }
    }
    long halfShare = capacityBytes / Math.max(MIN_APPLICATIONS, bytes.size()) / 2;
    Set<String> taking = new HashSet<>();
    bytes.forEach(
        (name, buffered) -> {
          if ((low && buffered >= halfShare) || due.contains(name)) {
            taking.add(name);
          }
        });
    setCandidates(taking);
    String next = taking.isEmpty() && low ? largest(bytes) : leastServed();
    S shuffle = largestShuffle(shuffles, next);
    return shuffle == null
        ? null
        : new Turn<>(shuffle, taking.size() > 1 ? Math.max(1, halfShare) : Long.MAX_VALUE);
  }

  private void setCandidates(Set<String> next) {
    for (String name : next) {
      if (!candidates.contains(name)) {
        // An application gets no credit for the time in which it took no turns.
        tags.merge(name, servedTag, Math::max);
      }
    }
    candidates = next;
    tags.entrySet().removeIf(tag -> tag.getValue() <= servedTag && !next.contains(tag.getKey()));
  }

  private String leastServed() {
    String least = null;
    for (String name : candidates) {
      int order = least == null ? -1 : Long.compare(tags.get(name), tags.get(least));
      if (order < 0 || (order == 0 && name.compareTo(least) < 0)) {
        least = name;
      }
    }
    if (least != null) {
      servedTag = Math.max(servedTag, tags.get(least));
    }
    return least;
  }

  private static String largest(Map<String, Long> bytes) {
    String largest = null;
    long maxBytes = 0;
    for (Map.Entry<String, Long> entry : bytes.entrySet()) {
      if (entry.getValue() > maxBytes) {
        largest = entry.getKey();
        maxBytes = entry.getValue();
      }
    }
    return largest;
  }

  private S largestShuffle(Collection<? extends S> shuffles, String of) {
    S largest = null;
    long maxBytes = 0;
    for (S shuffle : shuffles) {
      // Sizes may have changed since.
      long buffered = bufferedBytes.applyAsLong(shuffle);
      if (buffered > maxBytes && application.apply(shuffle).equals(of)) {
        largest = shuffle;
        maxBytes = buffered;
      }
    }
    return largest;
  }

  /** Records that a run of an application is being written. */
  void spilled(String name, long bytes) {
    if (candidates.contains(name)) {
      tags.merge(name, bytes, Long::sum);
    }
  }
}
