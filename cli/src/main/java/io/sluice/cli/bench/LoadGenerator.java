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
 * Keeps a bounded number of requests in flight, round-robin over all workers. The completion of a
 * request sends the next one on the transport's thread, so no thread waits for a connection.
 *
 * <p>Thread-safe. {@link #run} may be called once.
 */
final class LoadGenerator {
  private static final int MAX_SENDS = 100;
  private static final long FIRST_PAUSE_MS = 10;
  private static final long LONGEST_PAUSE_MS = 1000;
  private static final long WAIT_STEP_MS = 500;

  /** One hour in microseconds, the highest latency of the histogram. */
  private static final long MAX_LATENCY_US = 3_600_000_000L;

  /**
   * State of a worker, guarded by {@code lock}. A worker that may send a request is in {@code
   * ready} once.
   */
  private static final class WorkerState {
    private final BenchWorker worker;
    private int inFlight;
    private boolean queued;
    private boolean exhausted;

    private WorkerState(BenchWorker worker) {
      this.worker = worker;
    }
  }

  private final int maxPerWorker;
  private final int maxInFlight;
  private final ScheduledExecutorService scheduler;
  private final LongSupplier nanoTime;
  private final LongConsumer progress;
  private final Histogram latencyUs = new ConcurrentHistogram(MAX_LATENCY_US, 3);
  private final Histogram taskUs = new Histogram(MAX_LATENCY_US, 3);
  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong repeats = new AtomicLong();
  private final CompletableFuture<Void> finished = new CompletableFuture<>();

  private final Object lock = new Object();
  private final ArrayDeque<WorkerState> ready = new ArrayDeque<>();
  private int inFlight;
  private int workersLeft;
  private long startedAt;

  /**
   * Sends no requests before {@link #run}.
   *
   * @param maxPerWorker maximum number of requests in flight for one worker
   * @param maxInFlight maximum number of requests in flight for all workers
   * @param scheduler borrowed; retries refused requests
   * @param progress called with the bytes of each completed request, on any thread
   */
  LoadGenerator(
      int maxPerWorker,
      int maxInFlight,
      ScheduledExecutorService scheduler,
      LongSupplier nanoTime,
      LongConsumer progress) {
    this.maxPerWorker = maxPerWorker;
    this.maxInFlight = maxInFlight;
    this.scheduler = scheduler;
    this.nanoTime = nanoTime;
    this.progress = progress;
  }

  /**
   * Sends the requests of all workers and waits for the replies.
   *
   * @param retryPeriodMs maximum time without a completed request
   * @throws IOException on the first failure that is not retried
   */
  void run(List<? extends BenchWorker> workers, long retryPeriodMs)
      throws IOException, InterruptedException {
    synchronized (lock) {
      startedAt = nanoTime.getAsLong();
      workersLeft = workers.size();
      for (BenchWorker worker : workers) {
        enqueue(new WorkerState(worker));
      }
    }
    if (workers.isEmpty()) {
      return;
    }
    sendRequests();
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
          throw new IOException("no request completed within " + retryPeriodMs + " ms", notYet);
        }
      } catch (ExecutionException failure) {
        throw new IOException(failure.getCause().getMessage(), failure.getCause());
      }
    }
  }

  /** Microseconds from request to reply. */
  Histogram latencyUs() {
    return latencyUs;
  }

  /**
   * Microseconds from the start of the load to the last reply of each worker; complete after it.
   */
  Histogram taskUs() {
    return taskUs;
  }

  long requests() {
    return requests.get();
  }

  long bytes() {
    return bytes.get();
  }

  /** Number of requests that were refused temporarily and sent again. */
  long repeats() {
    return repeats.get();
  }

  private void enqueue(WorkerState state) {
    if (!state.queued) {
      state.queued = true;
      ready.add(state);
    }
  }

  private void sendRequests() {
    while (!finished.isDone()) {
      WorkerState state;
      BenchWorker.Request request;
      synchronized (lock) {
        if (inFlight >= maxInFlight || ready.isEmpty()) {
          return;
        }
        state = ready.poll();
        state.queued = false;
        request = state.worker.next();
        if (request == null) {
          state.exhausted = true;
          finishIfDone(state);
          continue;
        }
        inFlight++;
        if (++state.inFlight < maxPerWorker) {
          enqueue(state);
        }
      }
      send(state, request, 1);
    }
  }

  private void finishIfDone(WorkerState state) {
    if (state.exhausted && state.inFlight == 0) {
      taskUs.recordValue(micros(startedAt));
      workersLeft--;
      if (workersLeft == 0) {
        finished.complete(null);
      }
    }
  }

  /** Microseconds since a time, within the range of the histograms. */
  private long micros(long sinceNanos) {
    long micros = TimeUnit.NANOSECONDS.toMicros(nanoTime.getAsLong() - sinceNanos);
    return Math.min(MAX_LATENCY_US, Math.max(0, micros));
  }

  private void send(WorkerState state, BenchWorker.Request request, int attempt) {
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
                refused(state, request, attempt, failure);
                return;
              }
              latencyUs.recordValue(micros(sentAt));
              requests.incrementAndGet();
              bytes.addAndGet(moved);
              progress.accept(moved);
              synchronized (lock) {
                inFlight--;
                state.inFlight--;
                if (state.exhausted) {
                  finishIfDone(state);
                } else {
                  enqueue(state);
                }
              }
              sendRequests();
            });
  }

  /**
   * True if the server may accept the same frame later: it is overloaded, or bytes were damaged.
   */
  private static boolean isRetryable(StatusCode code) {
    return switch (code.onPush()) {
      case WAIT, RESEND -> true;
      case WAIT_BRIEFLY, RETRY, RECONNECT, RENEW, FAIL_OVER, DELETED -> false;
    };
  }

  private void refused(
      WorkerState state, BenchWorker.Request request, int attempt, Throwable thrown) {
    Throwable failure = thrown instanceof CompletionException ? thrown.getCause() : thrown;
    boolean retry =
        failure instanceof SluiceException refusal
            && isRetryable(refusal.code())
            && attempt < MAX_SENDS
            && !finished.isDone();
    if (!retry) {
      finished.completeExceptionally(failure);
      return;
    }
    repeats.incrementAndGet();
    long pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS << Math.min(attempt - 1, 10));
    // send() reports its outcome.
    var unused =
        scheduler.schedule(() -> send(state, request, attempt + 1), pauseMs, TimeUnit.MILLISECONDS);
  }
}
