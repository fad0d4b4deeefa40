package io.sluice.mr;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;

/**
 * The map outputs on servers that a reduce task must read, and the lost ones that it reports.
 * Thread-safe: the thread that receives completion events adds outputs, the reading thread removes
 * them.
 *
 * <p>A read of a few attempts may cost as much as a read of the whole partition. So a read starts
 * when half of all maps can be read, when all remaining maps can be read, or when no output was
 * added for a quiet period, which doubles each time.
 */
public final class KnownOutputs {
  private static final long FIRST_QUIET_MS = 5_000;
  private static final long LONGEST_QUIET_MS = 60_000;

  private final int maps;
  private final LongSupplier nanoTime;

  // Guarded by this.
  private final Map<Integer, Output> waiting = new LinkedHashMap<>();
  private final Map<TaskAttemptID, Loss> lost = new LinkedHashMap<>();
  private final Set<TaskAttemptID> obsolete = new HashSet<>();
  private final Set<Integer> done = new HashSet<>();
  private long quietSinceNanos;
  private long quietMs = FIRST_QUIET_MS;

  /**
   * An attempt whose output is on servers.
   *
   * @param nodeManager node manager that also has the whole output; null if none has
   */
  public record Output(TaskAttemptID attempt, String nodeManager) {
    public int map() {
      return attempt.getTaskID().getId();
    }

    public long id() {
      return MapAttempts.of(attempt).id();
    }
  }

  private static final class Loss {
    int reports;
    long reportedNanos;
  }

  public KnownOutputs(int maps, LongSupplier nanoTime) {
    this.maps = maps;
    this.nanoTime = nanoTime;
    this.quietSinceNanos = nanoTime.getAsLong();
  }

  /** Adds the output of a successful attempt. */
  public synchronized void add(Output output) {
    if (done.contains(output.map()) || obsolete.contains(output.attempt())) {
      return;
    }
    waiting.put(output.map(), output);
    quietSinceNanos = nanoTime.getAsLong();
    notifyAll();
  }

  /** Marks an attempt as obsolete: its output must not be used. */
  public synchronized void forget(TaskAttemptID attempt) {
    obsolete.add(attempt);
    lost.remove(attempt);
    waiting.values().removeIf(output -> output.attempt().equals(attempt));
  }

  /** Marks a map as finished: its output was received, or the map failed for good. */
  public synchronized void finish(TaskID map) {
    done.add(map.getId());
    waiting.remove(map.getId());
    lost.keySet().removeIf(attempt -> attempt.getTaskID().equals(map));
    notifyAll();
  }

  /** Whether the output of an attempt is still to be read. */
  public synchronized boolean isNeeded(TaskAttemptID attempt) {
    return !done.contains(attempt.getTaskID().getId()) && !obsolete.contains(attempt);
  }

  /**
   * Waits until the next read should start.
   *
   * @return the outputs to read, by ascending map
   */
  public synchronized List<Output> take() throws InterruptedException {
    while (!shouldRead()) {
      long quietNanos = nanoTime.getAsLong() - quietSinceNanos;
      wait(Math.max(1, quietMs - TimeUnit.NANOSECONDS.toMillis(quietNanos)));
    }
    List<Output> taken = new ArrayList<>(waiting.values());
    taken.sort((one, other) -> Integer.compare(one.map(), other.map()));
    waiting.clear();
    return taken;
  }

  private boolean shouldRead() {
    if (waiting.isEmpty()) {
      return false;
    }
    int left = maps - done.size();
    if (waiting.size() >= left || waiting.size() * 2L >= maps) {
      return true;
    }
    if (nanoTime.getAsLong() - quietSinceNanos < TimeUnit.MILLISECONDS.toNanos(quietMs)) {
      return false;
    }
    quietMs = Math.min(2 * quietMs, LONGEST_QUIET_MS);
    return true;
  }

  /** Marks the output of an attempt as lost: it is neither on servers nor at a node manager. */
  public synchronized void markLost(TaskAttemptID attempt) {
    if (isNeeded(attempt)) {
      lost.putIfAbsent(attempt, new Loss());
    }
  }

  /**
   * The lost attempts to report now. Each is reported repeatedly until it is obsolete, because a
   * report may be lost.
   *
   * @param intervalMs time between two reports of one attempt
   */
  public synchronized List<TaskAttemptID> lossesToReport(long intervalMs) {
    long now = nanoTime.getAsLong();
    List<TaskAttemptID> due = new ArrayList<>();
    lost.forEach(
        (attempt, loss) -> {
          if (loss.reports == 0
              || now - loss.reportedNanos >= TimeUnit.MILLISECONDS.toNanos(intervalMs)) {
            loss.reports++;
            loss.reportedNanos = now;
            due.add(attempt);
          }
        });
    return due;
  }

  /** Maximum number of reports of one attempt. */
  public synchronized int maxReports() {
    return lost.values().stream().mapToInt(loss -> loss.reports).max().orElse(0);
  }
}
