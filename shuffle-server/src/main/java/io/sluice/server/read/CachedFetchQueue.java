package io.sluice.server.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.List;

/** Queue of fetches that need no disk but wait for the read budget. Thread-safe. */
final class CachedFetchQueue {
  private final ReadBudget budget;
  private final Runnable retry = this::answerNext;

  @GuardedBy("this")
  private final FairQueue<FileFetch> queue = new FairQueue<>(FileFetch::length);

  @GuardedBy("this")
  private boolean closed;

  CachedFetchQueue(ReadBudget budget) {
    this.budget = budget;
  }

  /**
   * Answers a fetch immediately if the budget allows it; otherwise queues it.
   *
   * @return false if the fetch was queued
   */
  boolean submit(FileFetch fetch) {
    boolean wait;
    boolean refuse;
    synchronized (this) {
      refuse = closed;
      // Queued fetches are served first.
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
      fetch.partDone();
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
      next.partDone();
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
            "no read budget became free within "
                + waitedMs
                + " ms (rss.server.read.buffer.capacity is "
                + budget.capacityBytes()
                + " bytes)"));
    fetch.partDone();
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
      fetch.partDone();
    }
  }
}
