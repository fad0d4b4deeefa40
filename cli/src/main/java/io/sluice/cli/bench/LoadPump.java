package io.sluice.cli.bench;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Keeps a bounded number of requests under way, in turn over all workers. Whoever completes a
 * request sends the next one, so the transport's own threads drive it and no thread waits per
 * connection.
 *
 * <p>Thread-safe; runs once.
 */
final class LoadPump {
  private static final int MAX_SENDS = 100;
  private static final long FIRST_PAUSE_MS = 10;
  private static final long LONGEST_PAUSE_MS = 1000;
  private static final long WAIT_STEP_MS = 500;

  /** One hour in microseconds, the longest latency that is told apart. */
  private static final long MAX_LATENCY_US = 3_600_000_000L;

  /** A worker with room for requests is in {@code ready}, once; guarded by {@code lock}. */
  private static final class Turn {
    private final BenchWorker worker;
    private int underWay;
    private boolean queued;
    private boolean dry;

    private Turn(BenchWorker worker) {
      this.worker = worker;
    }
  }

  private final int perWorker;
  private final int together;
  private final ScheduledExecutorService scheduler;
  private final LongSupplier nanoTime;
  private final LongConsumer progress;
  private final Histogram latencyUs = new ConcurrentHistogram(MAX_LATENCY_US, 3);
  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong repeats = new AtomicLong();
  private final CompletableFuture<Void> finished = new CompletableFuture<>();

  private final Object lock = new Object();
  private final ArrayDeque<Turn> ready = new ArrayDeque<>();
  private int underWay;
  private int workersLeft;

  /**
   * Nothing is sent before {@link #run}.
   *
   * @param perWorker requests under way in one worker
   * @param together requests under way in all workers
   * @param scheduler borrowed; sends refused requests again
   * @param progress told the bytes of each completed request, by any thread
   */
  LoadPump(
      int perWorker,
      int together,
      ScheduledExecutorService scheduler,
      LongSupplier nanoTime,
      LongConsumer progress) {
    this.perWorker = perWorker;
    this.together = together;
    this.scheduler = scheduler;
    this.nanoTime = nanoTime;
    this.progress = progress;
  }

  /**
   * Does all the work of the workers.
   *
   * @param retryPeriodMs longest time without any request completing
   * @throws IOException the first failure that sending again does not help
   */
  void run(List<? extends BenchWorker> workers, long retryPeriodMs)
      throws IOException, InterruptedException {
    synchronized (lock) {
      workersLeft = workers.size();
      for (BenchWorker worker : workers) {
        enqueue(new Turn(worker));
      }
    }
    if (workers.isEmpty()) {
      return;
    }
    drain();
    long seen = -1;
    long seenAt = nanoTime.getAsLong();
    while (true) {
      try {
        finished.get(WAIT_STEP_MS, TimeUnit.MILLISECONDS);
        return;
      } catch (TimeoutException notYet) {
        long now = nanoTime.getAsLong();
        if (requests.get() != seen) {
          seen = requests.get();
          seenAt = now;
        } else if (now - seenAt > TimeUnit.MILLISECONDS.toNanos(retryPeriodMs)) {
          throw new IOException("no answer to any request for " + retryPeriodMs + " ms", notYet);
        }
      } catch (ExecutionException failure) {
        throw new IOException(failure.getCause().getMessage(), failure.getCause());
      }
    }
  }

  /** Microseconds from sending to the answer. */
  Histogram latencyUs() {
    return latencyUs;
  }

  long requests() {
    return requests.get();
  }

  long bytes() {
    return bytes.get();
  }

  /** Requests that were refused for the moment and sent again. */
  long repeats() {
    return repeats.get();
  }

  private void enqueue(Turn turn) {
    if (!turn.queued) {
      turn.queued = true;
      ready.add(turn);
    }
  }

  private void drain() {
    while (!finished.isDone()) {
      Turn turn;
      BenchWorker.Request request;
      synchronized (lock) {
        if (underWay >= together || ready.isEmpty()) {
          return;
        }
        turn = ready.poll();
        turn.queued = false;
        request = turn.worker.next();
        if (request == null) {
          turn.dry = true;
          finishIfDone(turn);
          continue;
        }
        underWay++;
        if (++turn.underWay < perWorker) {
          enqueue(turn);
        }
      }
      send(turn, request, 1);
    }
  }

  private void finishIfDone(Turn turn) {
    if (turn.dry && turn.underWay == 0 && --workersLeft == 0) {
      finished.complete(null);
    }
  }

  private void send(Turn turn, BenchWorker.Request request, int attempt) {
    long sentAt = nanoTime.getAsLong();
    CompletableFuture<Long> answer;
    try {
      answer = request.send();
    } catch (RuntimeException | OutOfMemoryError bug) {
      finished.completeExceptionally(bug);
      return;
    }
    var unused =
        answer.whenComplete(
            (moved, failure) -> {
              if (failure != null) {
                refused(turn, request, attempt, failure);
                return;
              }
              long micros = TimeUnit.NANOSECONDS.toMicros(nanoTime.getAsLong() - sentAt);
              latencyUs.recordValue(Math.min(MAX_LATENCY_US, Math.max(0, micros)));
              requests.incrementAndGet();
              bytes.addAndGet(moved);
              progress.accept(moved);
              synchronized (lock) {
                underWay--;
                turn.underWay--;
                if (turn.dry) {
                  finishIfDone(turn);
                } else {
                  enqueue(turn);
                }
              }
              drain();
            });
  }

  /** Whether the server may take the same frame later: it is overloaded, or bytes were damaged. */
  private static boolean mayBeSentAgain(StatusCode code) {
    return switch (code.onPush()) {
      case WAIT, RESEND -> true;
      case WAIT_BRIEFLY, RETRY, RECONNECT, FAIL_OVER, DELETED -> false;
    };
  }

  private void refused(Turn turn, BenchWorker.Request request, int attempt, Throwable thrown) {
    Throwable failure = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    boolean again =
        failure instanceof SluiceException refusal
            && mayBeSentAgain(refusal.code())
            && attempt < MAX_SENDS
            && !finished.isDone();
    if (!again) {
      finished.completeExceptionally(failure);
      return;
    }
    repeats.incrementAndGet();
    long pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS << Math.min(attempt - 1, 10));
    // Nobody waits for it: what it sends reports by itself.
    var unused =
        scheduler.schedule(() -> send(turn, request, attempt + 1), pauseMs, TimeUnit.MILLISECONDS);
  }
}
