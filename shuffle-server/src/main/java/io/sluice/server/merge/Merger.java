package io.sluice.server.merge;

import io.sluice.server.log.MergeBatch;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoredRun;
import io.sluice.server.storage.Disk;
import io.sluice.server.storage.Disks;
import io.sluice.server.storage.RunFile;
import io.sluice.server.threads.EndOfThreads;
import io.sluice.server.threads.LockWait;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Merges runs in the background: one thread plans, and hands the merge that gains most to one
 * thread for each disk that merges, one at a time. A thread waits for the disks that its merge
 * reads from and writes to; nobody waits for it.
 *
 * <p>The memory is taken once, with a disk's first merge, and divided evenly among the disks.
 *
 * <p>Thread-safe.
 */
public final class Merger implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Merger.class);

  private static final long TICK_MS = 1_000;

  /** How soon a merge that waits looks again. */
  private static final long PAUSE_MS = 20;

  private static final long STOP_WAIT_MS = 10_000;

  private final ShuffleStore store;
  private final MergeWriter writer;
  private final MergeUrgency urgency;
  private final MergeCounters counters;
  private final LongSupplier nanoTime;
  private final MergePlanner planner;
  private final IntFunction<ByteBuffer> buffers;
  private final int bufferBytes;
  private final List<DiskThread> threads = new ArrayList<>();
  private final Set<StoredRun> leftOut =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
  private final Object lock = new Object();
  private final LockWait lockWait;

  // Guarded by lock.
  private Thread planning;
  private boolean signalled = true;
  private boolean stopped;

  private volatile int queueLength;

  public Merger(
      ShuffleStore store,
      Disks disks,
      MergeSettings settings,
      MergeWriter writer,
      MergeUrgency urgency,
      MergeCounters counters,
      LongSupplier nanoTime) {
    this(store, disks, settings, writer, urgency, counters, nanoTime, ByteBuffer::allocateDirect);
  }

  /**
   * As the other, with read buffers from the caller.
   *
   * @param buffers gives a buffer of that many bytes, or throws {@link OutOfMemoryError}
   */
  Merger(
      ShuffleStore store,
      Disks disks,
      MergeSettings settings,
      MergeWriter writer,
      MergeUrgency urgency,
      MergeCounters counters,
      LongSupplier nanoTime,
      IntFunction<ByteBuffer> buffers) {
    this.store = store;
    this.buffers = buffers;
    this.writer = writer;
    this.urgency = urgency;
    this.counters = counters;
    this.nanoTime = nanoTime;
    this.lockWait = new LockWait(lock, nanoTime);
    for (Disk disk : disks.list()) {
      if (settings.policies().containsKey(disk.kind())) {
        threads.add(new DiskThread(disk, threads.size()));
      }
    }
    int merges = Math.max(1, threads.size());
    this.bufferBytes = settings.bufferBytes(merges);
    this.planner =
        new MergePlanner(settings.policies(), settings.bounds(merges), leftOut::contains);
  }

  /** Starts merging. */
  public void start() {
    synchronized (lock) {
      if (threads.isEmpty() || stopped) {
        return;
      }
      planning = new Thread(this::plan, "merge-planner");
      planning.setDaemon(true);
      planning.start();
      for (DiskThread thread : threads) {
        thread.setDaemon(true);
        thread.start();
      }
    }
  }

  /**
   * Merges once, what gains most, on the calling thread: for one thread that drives it instead of
   * {@link #start}.
   *
   * @return how that ended; empty if nothing is worth merging
   */
  public Optional<MergeOutcome> mergeNext() {
    synchronized (lock) {
      if (planning != null) {
        throw new IllegalStateException("merges on threads of its own already");
      }
    }
    for (MergeTask task : planner.plan(store.logs())) {
      for (DiskThread thread : threads) {
        if (thread.disk == task.output()) {
          return Optional.of(thread.merge(task));
        }
      }
    }
    return Optional.empty();
  }

  /** Merges that are worth doing and wait for their turn. */
  public int queueLength() {
    return queueLength;
  }

  /**
   * Ends the threads. A merge that is under way is given up at its next checkpoint; one that waits
   * for a disk that does not answer is left behind. Idempotent.
   */
  @Override
  public void close() {
    List<Thread> all = new ArrayList<>();
    synchronized (lock) {
      stopped = true;
      if (planning != null) {
        all.add(planning);
        all.addAll(threads);
      }
      lock.notifyAll();
    }
    EndOfThreads.await(all, STOP_WAIT_MS, nanoTime);
  }

  private void plan() {
    while (awaitTick()) {
      try {
        assign();
      } catch (RuntimeException | Error e) {
        LOG.error("merge planning failed", e);
      }
    }
  }

  /** Returns when a merge has ended or a tick has passed; false once stopped. */
  private boolean awaitTick() {
    synchronized (lock) {
      long tickNanos = TimeUnit.MILLISECONDS.toNanos(TICK_MS);
      if (!lockWait.await(tickNanos, () -> signalled || stopped)) {
        return false;
      }
      signalled = false;
      return !stopped;
    }
  }

  /** Gives every idle thread the first task for its disk whose runs no other thread was given. */
  private void assign() {
    Set<DiskThread> idle = new HashSet<>();
    synchronized (lock) {
      for (DiskThread thread : threads) {
        if (thread.task == null) {
          idle.add(thread);
        }
      }
    }
    if (idle.isEmpty()) {
      return;
    }
    List<MergeTask> tasks = planner.plan(store.logs());
    int left = tasks.size();
    for (MergeTask task : tasks) {
      DiskThread taker = null;
      for (DiskThread thread : idle) {
        if (thread.disk == task.output()) {
          taker = thread;
        }
      }
      if (taker != null) {
        idle.remove(taker);
        taker.assign(task);
        left--;
      }
    }
    queueLength = left;
  }

  private boolean isWanted(MergeTask task) {
    if (urgency.isWanted(task.output())) {
      return true;
    }
    for (StoredRun run : task.runs()) {
      if (urgency.isWanted(((RunFile) run).disk())) {
        return true;
      }
    }
    return false;
  }

  /** Merges what it is given, one task at a time. */
  private final class DiskThread extends Thread {
    private final Disk disk;
    // Its own; taken with the first merge.
    private ByteBuffer memory;
    // Guarded by lock.
    private MergeTask task;

    DiskThread(Disk disk, int number) {
      super("merge-disk-" + number);
      this.disk = disk;
    }

    void assign(MergeTask next) {
      synchronized (lock) {
        task = next;
        lock.notifyAll();
      }
    }

    @Override
    public void run() {
      for (MergeTask next = await(); next != null; next = await()) {
        MergeOutcome outcome = MergeOutcome.STALE;
        try {
          outcome = merge(next);
        } catch (OutOfMemoryError e) {
          // Of direct memory: without heap the process ends.
          outcome = MergeOutcome.POSTPONED;
          LOG.warn(
              "merge postponed, the server lacks memory disk={} problem={}",
              disk.name(),
              e.toString());
        } catch (RuntimeException | Error e) {
          leftOut.addAll(next.runs());
          LOG.atError()
              .addKeyValue("application", next.log().key().application())
              .addKeyValue("shuffle", next.log().key().shuffle())
              .addKeyValue("disk", disk.name())
              .setCause(e)
              .log("merge failed");
        } finally {
          done(outcome);
        }
      }
    }

    private MergeOutcome merge(MergeTask next) {
      try {
        checkpoint(next);
      } catch (MergeCancelledException e) {
        return MergeOutcome.CANCELLED;
      }
      if (memory == null) {
        memory = buffers.apply(bufferBytes);
      }
      MergeBatch batch = next.log().takeForMerge(next.runs());
      if (batch == null) {
        return MergeOutcome.STALE;
      }
      long startNanos = nanoTime.getAsLong();
      MergeWriter.Result result = writer.merge(batch, disk, memory, unused -> checkpoint(next));
      if (result.outcome() == MergeOutcome.MERGED) {
        counters.took(nanoTime.getAsLong() - startNanos);
      }
      if (result.failedInput() != null) {
        leftOut.add(result.failedInput());
      }
      return result.outcome();
    }

    /** Waits while the disks are wanted; ends the merge when nobody needs it any more. */
    private void checkpoint(MergeTask next) throws MergeCancelledException {
      boolean waits = false;
      while (true) {
        if (!next.log().isWritten()) {
          throw new MergeCancelledException("the shuffle has been forgotten");
        }
        boolean wanted = isWanted(next);
        synchronized (lock) {
          if (stopped) {
            throw new MergeCancelledException("the server stops");
          }
          if (!wanted) {
            return;
          }
          try {
            lock.wait(PAUSE_MS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new MergeCancelledException("interrupted");
          }
        }
        if (!waits) {
          waits = true;
          counters.paused();
        }
      }
    }

    private void done(MergeOutcome outcome) {
      synchronized (lock) {
        task = null;
        // After anything else the same plan would come out again: with the next tick.
        signalled |= outcome == MergeOutcome.MERGED;
        lock.notifyAll();
      }
    }

    /** The next task, or null once stopped. */
    private MergeTask await() {
      synchronized (lock) {
        while (task == null && !stopped) {
          try {
            lock.wait(TICK_MS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
          }
        }
        return stopped ? null : task;
      }
    }
  }
}
