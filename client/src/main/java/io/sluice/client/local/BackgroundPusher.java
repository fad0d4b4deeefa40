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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pushes finished local outputs in the order of their arrival, on a few daemon threads, each of
 * which pushes one output at a time. Best effort: readers get blocks that were not pushed from
 * local output. Thread-safe; threads start with the first output.
 *
 * <p>Memory: waiting outputs are small and their number is bounded; each thread uses at most the
 * configured in-flight bytes.
 */
public final class BackgroundPusher implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundPusher.class);

  /** Maximum time for which {@link #close} waits for threads, as the blocks may never be read. */
  private static final long CLOSE_WAIT_MS = 1_000;

  private final BackgroundConfig config;
  private final Pushes pushes;
  private final ByteBufAllocator allocator;
  private final LongSupplier nanoTime;

  // Guarded by this.
  private final SplittableRandom random;
  private final Deque<FinishedOutput> waiting = new ArrayDeque<>();
  private final Set<Running> running = new HashSet<>();
  private final List<Thread> threads = new ArrayList<>();
  private boolean closed;
  private boolean warned;
  private long pushedOutputs;
  private long failedOutputs;
  private long droppedOutputs;
  private long pushedBytes;
  private long rejectedBytes;
  private long skippedBytes;

  /** Creates the push of an output. */
  public interface Pushes {
    /** Returns owned. */
    SealedPush begin(FinishedOutput output);
  }

  /** An output that is being pushed. */
  private static final class Running {
    private final FinishedOutput output;
    private final SplittableRandom random;
    private volatile boolean stopped;

    Running(FinishedOutput output, SplittableRandom random) {
      this.output = output;
      this.random = random;
    }
  }

  /**
   * @param random takes: determines the order in which pieces of an output are pushed
   */
  public BackgroundPusher(
      BackgroundConfig config,
      Pushes pushes,
      ByteBufAllocator allocator,
      SplittableRandom random,
      LongSupplier nanoTime) {
    this.config = config;
    this.pushes = pushes;
    this.allocator = allocator;
    this.random = random;
    this.nanoTime = nanoTime;
  }

  /** Queues an output, or drops it if the queue is full. Never waits. */
  public synchronized void add(FinishedOutput output) {
    if (closed) {
      return;
    }
    if (waiting.size() >= config.maxQueued()) {
      droppedOutputs++;
      if (droppedOutputs == 1) {
        LOG.warn(
            "background push too slow, further outputs are read from local output (logged once)"
                + " waiting={}",
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

  /** Stops pushing outputs of a shuffle that is no longer read. */
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
        rejectedBytes,
        skippedBytes);
  }

  /** Waits until no output is waiting or being pushed; false if the timeout elapses first. */
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
      // The client is being closed.
      Thread.currentThread().interrupt();
    } finally {
      // After an error, the next output starts another thread.
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
        boolean toTheEnd = work.run(config.maxPartitionBytes(), one.random);
        if (toTheEnd) {
          outcome = work.rejectedBytes() == 0 ? Outcome.PUSHED : Outcome.FAILED;
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
      LOG.debug("local output not pushed reason={}", e.toString());
    } catch (RuntimeException e) {
      LOG.error(
          "internal error: local output not pushed application={} shuffle={} attempt={}",
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
    rejectedBytes += work.rejectedBytes();
    skippedBytes += work.skippedBytes();
  }

  private synchronized void failed(FinishedOutput output, String reason) {
    if (warned) {
      LOG.debug("local output not pushed reason=\"{}\"", reason);
      return;
    }
    warned = true;
    LOG.warn(
        "local output not pushed, readers get its blocks from local disks (logged once)"
            + " application={} shuffle={} attempt={} reason=\"{}\"",
        output.assignment().shuffle().getApplication(),
        output.shuffle(),
        output.attempt().id(),
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

  /** Stops within a second; the remaining outputs are not pushed. Idempotent. */
  @Override
  public void close() {
    List<Thread> ending;
    synchronized (this) {
      if (!closed && !threads.isEmpty()) {
        LOG.info("background push stopped counters={}", counters());
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
