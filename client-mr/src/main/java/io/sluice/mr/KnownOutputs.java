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
 * The map outputs at servers that a reduce task knows of: which are to be read, and which are lost
 * and reported. Thread-safe: the thread that asks for completion events adds, the one that reads
 * takes.
 *
 * <p>Each read of a partition may cost as much as the whole partition, however few attempts are
 * wanted. So a read begins when half of all maps can be read, again when the rest can, or when
 * nothing new has come for a while, which doubles each time.
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
   * An attempt whose output is at servers.
   *
   * @param nodeManager where all of it is as well; null if it is not
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

  /** An attempt has succeeded. */
  public synchronized void add(Output output) {
    if (done.contains(output.map()) || obsolete.contains(output.attempt())) {
      return;
    }
    waiting.put(output.map(), output);
    quietSinceNanos = nanoTime.getAsLong();
    notifyAll();
  }

  /** An attempt's output is not to be used any more. */
  public synchronized void forget(TaskAttemptID attempt) {
    obsolete.add(attempt);
    lost.remove(attempt);
    waiting.values().removeIf(output -> output.attempt().equals(attempt));
  }

  /** A map's output is not needed any more: it came another way, or never will. */
  public synchronized void finish(TaskID map) {
    done.add(map.getId());
    waiting.remove(map.getId());
    lost.keySet().removeIf(attempt -> attempt.getTaskID().equals(map));
    notifyAll();
  }

  public synchronized boolean isWanted(TaskAttemptID attempt) {
    return !done.contains(attempt.getTaskID().getId()) && !obsolete.contains(attempt);
  }

  /**
   * Waits until a read is worth while.
   *
   * @return what to read, by ascending map
   */
  public synchronized List<Output> take() throws InterruptedException {
    while (!isWorthWhile()) {
      long quietNanos = nanoTime.getAsLong() - quietSinceNanos;
      wait(Math.max(1, quietMs - TimeUnit.NANOSECONDS.toMillis(quietNanos)));
    }
    List<Output> taken = new ArrayList<>(waiting.values());
    taken.sort((one, other) -> Integer.compare(one.map(), other.map()));
    waiting.clear();
    return taken;
  }

  private boolean isWorthWhile() {
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

  /** Servers do not have the output of an attempt, and nobody else does. */
  public synchronized void lose(TaskAttemptID attempt) {
    if (isWanted(attempt)) {
      lost.putIfAbsent(attempt, new Loss());
    }
  }

  /**
   * The lost attempts that are to be reported now: again and again until they are obsolete, because
   * a report may get lost.
   *
   * @param intervalMs between two reports of one attempt
   */
  public synchronized List<TaskAttemptID> due(long intervalMs) {
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

  /** How often the attempt was reported that was reported most often. */
  public synchronized int mostReports() {
    return lost.values().stream().mapToInt(loss -> loss.reports).max().orElse(0);
  }
}
