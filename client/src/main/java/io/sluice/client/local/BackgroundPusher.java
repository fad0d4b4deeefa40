package io.sluice.client.local;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.push.PushFailedException;
import io.sluice.client.push.SealedPush;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pushes finished outputs in the order of their coming, on a few daemon threads, each one output at
 * a time. Best effort: nobody waits for it, and what it does not do costs a reader a longer way.
 * Thread-safe; threads start with the first output.
 *
 * <p>Memory: what waits is small and its number is bounded; what is being pushed holds at most the
 * in-flight bytes of the configuration for each thread.
 */
public final class BackgroundPusher implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundPusher.class);

  /** A process that ends is not held up by what nobody may ever read. */
  private static final long CLOSE_WAIT_MS = 1_000;

  private final BackgroundConfig config;
  private final Pushes pushes;
  private final ByteBufAllocator allocator;
  private final LongSupplier nanoTime;

  // Guarded by this.
  private final RandomGenerator random;
  private final Deque<FinishedOutput> waiting = new ArrayDeque<>();
  private final Set<Running> running = new HashSet<>();
  private final List<Thread> threads = new ArrayList<>();
  private boolean closed;
  private boolean warned;
  private long pushedOutputs;
  private long failedOutputs;
  private long droppedOutputs;
  private long pushedBytes;
  private long leftBytes;
  private long skippedBytes;

  /** Begins the push of an output. */
  public interface Pushes {
    /** Returns owned. */
    SealedPush begin(FinishedOutput output);
  }

  /** An output under way. */
  private static final class Running {
    private final FinishedOutput output;
    private final RandomGenerator random;
    private volatile boolean stopped;

    Running(FinishedOutput output, RandomGenerator random) {
      this.output = output;
      this.random = random;
    }
  }

  /**
   * @param random takes: for the order in which pieces of an output are pushed
   */
  public BackgroundPusher(
      BackgroundConfig config,
      Pushes pushes,
      ByteBufAllocator allocator,
      RandomGenerator random,
      LongSupplier nanoTime) {
    this.config = config;
    this.pushes = pushes;
    this.allocator = allocator;
    this.random = random;
    this.nanoTime = nanoTime;
  }

  /** Takes note of an output; it is pushed when its turn comes, if ever. Never waits. */
  public synchronized void add(FinishedOutput output) {
    if (closed) {
      return;
    }
    if (waiting.size() >= config.maxWaiting()) {
      droppedOutputs++;
      if (droppedOutputs == 1) {
        LOG.warn(
            "outputs wait too long to be pushed and are read from local files waiting={}"
                + " (said once)",
            waiting.size());
      }
      return;
    }
    waiting.add(output);
    if (threads.size() < Math.min(config.threads(), waiting.size() + running.size())) {
      Thread thread = new Thread(this::work, "sluice-push-" + threads.size());
      thread.setDaemon(true);
      threads.add(thread);
      thread.start();
    }
    notifyAll();
  }

  /** Nobody reads this shuffle any more: nothing of it is pushed from now on. */
  public synchronized void forget(int shuffle) {
    int before = waiting.size();
    waiting.removeIf(output -> output.shuffle() == shuffle);
    droppedOutputs += before - waiting.size();
    for (Running one : running) {
      if (one.output.shuffle() == shuffle) {
        one.stopped = true;
      }
    }
  }

  public synchronized BackgroundCounters counters() {
    return new BackgroundCounters(
        waiting.size(),
        pushedOutputs,
        failedOutputs,
        droppedOutputs,
        pushedBytes,
        leftBytes,
        skippedBytes);
  }

  /** Waits until nothing is to be pushed; false if that takes longer. */
  public synchronized boolean awaitIdle(long timeoutMs) throws InterruptedException {
    long deadline = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    while (!waiting.isEmpty() || !running.isEmpty()) {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - nanoTime.getAsLong());
      if (leftMs <= 0) {
        return false;
      }
      wait(leftMs);
    }
    return true;
  }

  private void work() {
    try {
      for (Running next = take(); next != null; next = take()) {
        push(next);
      }
    } catch (InterruptedException e) {
      // The end of the process, and with it of the work.
      Thread.currentThread().interrupt();
    } finally {
      // After an error another thread takes its place.
      synchronized (this) {
        threads.remove(Thread.currentThread());
      }
    }
  }

  /** Waits for an output; null at the end. */
  private synchronized Running take() throws InterruptedException {
    while (waiting.isEmpty() && !closed) {
      wait();
    }
    if (closed) {
      return null;
    }
    Running next = new Running(waiting.remove(), new SplittableRandom(random.nextLong()));
    running.add(next);
    return next;
  }

  private void push(Running one) {
    FinishedOutput output = one.output;
    Outcome outcome = Outcome.FAILED;
    if (!output.wanted().getAsBoolean()) {
      forget(output.shuffle());
      ended(one, Outcome.DROPPED);
      return;
    }
    try (SealedPush push = pushes.begin(output)) {
      OutputPush work = new OutputPush(output, push, allocator, () -> one.stopped);
      try {
        boolean toTheEnd = work.run(config.skipPartitionBytes(), one.random);
        if (toTheEnd) {
          outcome = work.leftBytes() == 0 ? Outcome.PUSHED : Outcome.FAILED;
        } else {
          outcome = Outcome.DROPPED;
        }
      } finally {
        count(work);
      }
    } catch (PushFailedException e) {
      failed(output, e.getMessage());
    } catch (InterruptedIOException e) {
      outcome = Outcome.DROPPED;
    } catch (IOException e) {
      outcome = Outcome.DROPPED;
      LOG.debug("output not pushed: {}", e.toString());
    } catch (RuntimeException e) {
      LOG.error(
          "output not pushed, a bug app={} shuffle={} attempt={}",
          output.assignment().shuffle().getApplication(),
          output.shuffle(),
          output.attempt().id(),
          e);
    } finally {
      ended(one, outcome);
    }
  }

  private enum Outcome {
    PUSHED,
    FAILED,
    DROPPED
  }

  private synchronized void count(OutputPush work) {
    pushedBytes += work.pushedBytes();
    leftBytes += work.leftBytes();
    skippedBytes += work.skippedBytes();
  }

  private synchronized void failed(FinishedOutput output, String reason) {
    if (warned) {
      LOG.debug("output not pushed: {}", reason);
      return;
    }
    warned = true;
    LOG.warn(
        "output not pushed, read from local files app={} shuffle={} reason=\"{}\" (said once)",
        output.assignment().shuffle().getApplication(),
        output.shuffle(),
        reason);
  }

  private synchronized void ended(Running one, Outcome outcome) {
    running.remove(one);
    switch (outcome) {
      case PUSHED -> pushedOutputs++;
      case FAILED -> failedOutputs++;
      case DROPPED -> droppedOutputs++;
    }
    notifyAll();
  }

  /** Stops within a second; what has not been pushed is not. Idempotent. */
  @Override
  public void close() {
    List<Thread> ending;
    synchronized (this) {
      if (!closed && !threads.isEmpty()) {
        LOG.info("pushing behind tasks ends {}", counters());
      }
      closed = true;
      waiting.clear();
      running.forEach(one -> one.stopped = true);
      notifyAll();
      ending = List.copyOf(threads);
      threads.clear();
    }
    ending.forEach(Thread::interrupt);
    long deadline = nanoTime.getAsLong() + TimeUnit.MILLISECONDS.toNanos(CLOSE_WAIT_MS);
    try {
      for (Thread thread : ending) {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - nanoTime.getAsLong());
        thread.join(Math.max(1, leftMs));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
