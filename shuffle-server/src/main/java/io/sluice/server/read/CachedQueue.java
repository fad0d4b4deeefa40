package io.sluice.server.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.List;

/** Fetches that need no disk, and wait for the read budget if it is spent. Thread-safe. */
final class CachedQueue {
  private final ReadBudget budget;
  private final Runnable retry = this::answerNext;

  @GuardedBy("this")
  private final FairQueue<FileFetch> queue = new FairQueue<>(FileFetch::length);

  @GuardedBy("this")
  private boolean closed;

  CachedQueue(ReadBudget budget) {
    this.budget = budget;
  }

  /**
   * Answers a fetch when there is budget for it.
   *
   * @return false if it waits
   */
  boolean submit(FileFetch fetch) {
    boolean wait;
    boolean refuse;
    synchronized (this) {
      refuse = closed;
      // Those that wait come first.
      wait =
          !closed
              && !fetch.needsNoBudget()
              && (queue.size() > 0 || !fetch.takeBudget(budget, retry));
      if (wait) {
        queue.add(fetch.connection(), fetch);
      }
    }
    if (refuse) {
      fetch.refuse(DiskReader.stopping());
    }
    if (wait) {
      answerNext();
    } else {
      fetch.partOver();
    }
    return !wait;
  }

  private void answerNext() {
    while (true) {
      FileFetch next;
      synchronized (this) {
        next = queue.poll(fetch -> fetch.isAnswered() || fetch.takeBudget(budget, retry));
      }
      if (next == null) {
        return;
      }
      next.partOver();
    }
  }

  void timeOut(FileFetch fetch, long waitedMs) {
    synchronized (this) {
      if (!queue.remove(fetch.connection(), fetch)) {
        return;
      }
    }
    fetch.refuse(
        new SluiceException(
            StatusCode.BUSY,
            "the read budget of "
                + budget.capacityBytes()
                + " bytes was spent for "
                + waitedMs
                + " ms"));
    fetch.partOver();
  }

  synchronized int queued() {
    return queue.size();
  }

  void close() {
    List<FileFetch> waiting;
    synchronized (this) {
      closed = true;
      waiting = queue.removeAll();
    }
    for (FileFetch fetch : waiting) {
      fetch.refuse(DiskReader.stopping());
      fetch.partOver();
    }
  }
}
