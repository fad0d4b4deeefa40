package io.sluice.coordinator.history;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The latest finished applications, bounded in number and in bytes: the oldest are removed first.
 * Deterministic: the same applications in the same order give the same list. Thread-safe.
 */
public final class FinishedApplications {
  /** Maximum number of applications. */
  static final int CAPACITY = 10_000;

  /**
   * Maximum of {@link FinishedApplication#bytes}: 10,000 applications of 419 bytes, or about 550
   * with reports about 64 servers and 32 shuffles.
   */
  static final long MAX_BYTES = 4 << 20;

  private final int capacity;
  private final long maxBytes;

  // Oldest first. Guarded by this, as the other fields below.
  private final Deque<FinishedApplication> applications = new ArrayDeque<>();
  private long bytes;
  private long lastNumber;

  FinishedApplications() {
    this(CAPACITY, MAX_BYTES);
  }

  FinishedApplications(int capacity, long maxBytes) {
    this.capacity = capacity;
    this.maxBytes = maxBytes;
  }

  /** Adds a new application, or a numbered one that {@link #all} returned earlier. */
  public synchronized void add(FinishedApplication finished) {
    lastNumber =
        finished.number() == FinishedApplication.UNNUMBERED ? lastNumber + 1 : finished.number();
    applications.addLast(finished.numbered(lastNumber));
    bytes += finished.bytes();
    while (applications.size() > capacity || bytes > maxBytes) {
      bytes -= applications.removeFirst().bytes();
    }
  }

  /** Removes all applications. */
  synchronized void clear() {
    applications.clear();
    bytes = 0;
    lastNumber = 0;
  }

  /** All applications, oldest first. */
  public synchronized List<FinishedApplication> all() {
    return List.copyOf(applications);
  }

  /**
   * Returns a page of applications, newest first.
   *
   * @param before only applications with a lower number
   */
  public synchronized Page<FinishedApplication> page(
      int max, long before, Predicate<FinishedApplication> wanted) {
    return Page.of(
        applications.descendingIterator(),
        max,
        finished -> finished.number() < before && wanted.test(finished),
        FinishedApplication::number);
  }

  /** Returns the application of that name that finished last. */
  public synchronized Optional<FinishedApplication> latest(String name) {
    for (Iterator<FinishedApplication> all = applications.descendingIterator(); all.hasNext(); ) {
      FinishedApplication finished = all.next();
      if (finished.name().equals(name)) {
        return Optional.of(finished);
      }
    }
    return Optional.empty();
  }
}
