package io.sluice.benchmark.scale;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Calls with a bounded number in flight. Used by one thread; replies may arrive on any thread. */
final class CallLoad {
  private static final long MAX_US = TimeUnit.HOURS.toMicros(1);

  private final int inFlight;
  private final LongSupplier nanoTime;
  private final long timeoutMs;

  /**
   * @param inFlight maximum number of calls without a reply
   * @param timeoutMs maximum time to wait for a reply
   */
  CallLoad(int inFlight, LongSupplier nanoTime, long timeoutMs) {
    this.inFlight = inFlight;
    this.nanoTime = nanoTime;
    this.timeoutMs = timeoutMs;
  }

  /** A call. */
  interface Call<R> {
    /** Starts call number {@code index}. */
    ListenableFuture<R> start(int index);
  }

  /** Processing of a reply, on any thread. */
  interface Reply<R> {
    /**
     * Processes the reply of call number {@code index}.
     *
     * @throws IOException if the reply is a refusal
     */
    void accept(int index, R reply) throws IOException;
  }

  /**
   * Measurements.
   *
   * @param latencyUs microseconds of each call
   */
  record Result(Histogram latencyUs, double seconds) {
    double perSecond() {
      return latencyUs.getTotalCount() / seconds;
    }
  }

  /**
   * Makes a number of calls and waits for all replies.
   *
   * @throws IOException on the first failure
   */
  <R> Result run(int count, Call<R> call, Reply<R> reply) throws IOException, InterruptedException {
    Semaphore free = new Semaphore(inFlight);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Histogram latencyUs = new ConcurrentHistogram(MAX_US, 3);
    long start = nanoTime.getAsLong();
    for (int i = 0; i < count && failure.get() == null; i++) {
      acquire(free, 1);
      int index = i;
      long sentAt = nanoTime.getAsLong();
      Futures.addCallback(
          call.start(index),
          new FutureCallback<R>() {
            @Override
            public void onSuccess(R result) {
              long micros = TimeUnit.NANOSECONDS.toMicros(nanoTime.getAsLong() - sentAt);
              latencyUs.recordValue(Math.min(MAX_US, Math.max(0, micros)));
              try {
                reply.accept(index, result);
              } catch (IOException | RuntimeException refused) {
                failure.compareAndSet(null, refused);
              }
              free.release();
            }

            @Override
            public void onFailure(Throwable failed) {
              failure.compareAndSet(null, failed);
              free.release();
            }
          },
          MoreExecutors.directExecutor());
    }
    acquire(free, inFlight);
    double seconds = (nanoTime.getAsLong() - start) / 1e9;
    if (failure.get() != null) {
      throw new IOException(failure.get().getMessage(), failure.get());
    }
    return new Result(latencyUs, seconds);
  }

  private void acquire(Semaphore free, int permits) throws IOException, InterruptedException {
    if (!free.tryAcquire(permits, timeoutMs, TimeUnit.MILLISECONDS)) {
      throw new IOException("no reply within " + timeoutMs + " ms");
    }
  }
}
