package io.sluice.server.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.sluice.server.log.LogPiece;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Drops sent bytes from the page cache after a delay. The kernel keeps pages that a socket
 * references, until the receiver acknowledges them. Thread-safe.
 */
final class DropBehind {
  /** Longer than bytes usually stay in a socket's buffer. */
  static final long DELAY_MS = 2_000;

  private final ScheduledExecutorService timer;
  private final LongSupplier nanoTime;
  private final Consumer<LogPiece.InFile> drop;

  @GuardedBy("this")
  private final Deque<Sent> waiting = new ArrayDeque<>();

  @GuardedBy("this")
  private final SentRanges ranges = new SentRanges();

  @GuardedBy("this")
  private Future<?> due;

  @GuardedBy("this")
  private boolean closed;

  private record Sent(LogPiece.InFile piece, long atNanos) {}

  /**
   * @param drop drops a piece now and takes ownership of it
   */
  DropBehind(
      ScheduledExecutorService timer, LongSupplier nanoTime, Consumer<LogPiece.InFile> drop) {
    this.timer = timer;
    this.nanoTime = nanoTime;
    this.drop = drop;
  }

  /**
   * @param piece this method takes ownership; the file stays until the piece is dropped
   */
  void sent(LogPiece.InFile piece) {
    synchronized (this) {
      if (!closed) {
        waiting.add(new Sent(piece, nanoTime.getAsLong()));
        if (due == null) {
          schedule(DELAY_MS);
        }
        return;
      }
    }
    piece.release();
  }

  private synchronized void schedule(long delayMs) {
    try {
      due = timer.schedule(this::dropDue, delayMs, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The server is stopping, and close() follows.
      due = null;
    }
  }

  private void dropDue() {
    Deque<LogPiece.InFile> ready = new ArrayDeque<>();
    synchronized (this) {
      due = null;
      long now = nanoTime.getAsLong();
      long delayNanos = TimeUnit.MILLISECONDS.toNanos(DELAY_MS);
      while (!waiting.isEmpty() && now - waiting.peek().atNanos() >= delayNanos) {
        ready.add(ranges.widened(waiting.remove().piece()));
      }
      if (!waiting.isEmpty()) {
        long leftNanos = delayNanos - (now - waiting.peek().atNanos());
        schedule(TimeUnit.NANOSECONDS.toMillis(leftNanos) + 1);
      }
    }
    ready.forEach(drop);
  }

  /**
   * Releases waiting pieces without dropping them; later pieces are released immediately.
   * Idempotent.
   */
  void close() {
    Deque<Sent> left;
    synchronized (this) {
      closed = true;
      if (due != null) {
        due.cancel(false);
        due = null;
      }
      left = new ArrayDeque<>(waiting);
      waiting.clear();
    }
    left.forEach(sent -> sent.piece().release());
  }
}
