package io.sluice.server.background;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskThread;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.RunFile;
import io.sluice.server.log.MergeBatch;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoredRun;
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
 * Merges runs in the background: one thread plans and assigns the merge with the highest gain to
 * the thread of its output disk, which runs one merge at a time. That thread may wait for the disks
 * of its merge; no other thread waits for it.
 *
 * <p>Memory is divided evenly among the disks and allocated at the first merge of each disk.
 *
 * <p>Thread-safe.
 */
public final class Merger implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Merger.class);

  private static final long TICK_MS = 1_000;

  /** Interval at which a paused merge checks whether it can continue. */
  private static final long PAUSE_MS = 20;

  private static final long STOP_WAIT_MS = 10_000;

  private final ShuffleStore store;
  private final MergeWriter writer;
  private final SpillPriority priority;
  private final MergeCounters counters;
  private final LongSupplier nanoTime;
  private final MergePlanner planner;
  private final IntFunction<ByteBuffer> buffers;
  private final int bufferBytes;
  private final DiskThread planning = new DiskThread("merge-planner", TICK_MS, this::assign);
  private final List<Output> outputs = new ArrayList<>();
  private final Set<StoredRun> excluded =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private volatile boolean started;
  private volatile int queueLength;

  public Merger(
      ShuffleStore store,
      Disks disks,
      MergeConfig settings,
      MergeWriter writer,
      SpillPriority priority,
      MergeCounters counters,
      LongSupplier nanoTime) {
    this(store, disks, settings, writer, priority, counters, nanoTime, ByteBuffer::allocateDirect);
  }

  /**
   * As the other constructor, with a given allocator of read buffers.
   *
   * @param buffers allocates a buffer of the given length, or throws {@link OutOfMemoryError}
   */
  Merger(
      ShuffleStore store,
      Disks disks,
      MergeConfig settings,
      MergeWriter writer,
      SpillPriority priority,
      MergeCounters counters,
      LongSupplier nanoTime,
      IntFunction<ByteBuffer> buffers) {
    this.store = store;
    this.buffers = buffers;
    this.writer = writer;
    this.priority = priority;
    this.counters = counters;
    this.nanoTime = nanoTime;
    for (Disk disk : disks.list()) {
      if (settings.policies().containsKey(disk.kind())) {
        outputs.add(new Output(disk, outputs.size()));
      }
    }
    int merges = Math.max(1, outputs.size());
    this.bufferBytes = settings.bufferBytes(merges);
    this.planner =
        new MergePlanner(settings.policies(), settings.bounds(merges), excluded::contains);
  }

  /** Starts merging. */
  public void start() {
    if (outputs.isEmpty()) {
      return;
    }
    started = true;
    planning.signal();
    planning.start();
    outputs.forEach(output -> output.thread.start());
  }

  /**
   * Executes the merge with the highest gain on the calling thread, for callers that do not call
   * {@link #start}.
   *
   * @return the outcome; empty if there is nothing to merge
   */
  public Optional<MergeOutcome> mergeNext() {
    if (started) {
      throw new IllegalStateException("already started, merges run on background threads");
    }
    for (MergeTask task : planner.plan(store.logs())) {
      for (Output output : outputs) {
        if (output.disk == task.output()) {
          return Optional.of(output.merge(task));
        }
      }
    }
    return Optional.empty();
  }

  /** Number of planned merges that wait for a thread. */
  public int queueLength() {
    return queueLength;
  }

  /**
   * Stops the threads. A merge in progress is cancelled at its next checkpoint; a thread whose disk
   * hangs is not waited for. Idempotent.
   */
  @Override
  public void close() {
    List<DiskThread> threads = new ArrayList<>(List.of(planning));
    outputs.forEach(output -> threads.add(output.thread));
    DiskThread.stopAll(threads, STOP_WAIT_MS);
  }

  /**
   * Assigns to every idle thread the first task for its disk whose runs are not assigned to another
   * thread.
   */
  private void assign() {
    Set<Output> idle = new HashSet<>();
    for (Output output : outputs) {
      if (!output.merging) {
        idle.add(output);
      }
    }
    if (idle.isEmpty()) {
      return;
    }
    List<MergeTask> tasks = planner.plan(store.logs());
    int left = tasks.size();
    for (MergeTask task : tasks) {
      Output free = null;
      for (Output output : idle) {
        if (output.disk == task.output()) {
          free = output;
        }
      }
      if (free != null) {
        idle.remove(free);
        free.assign(task);
        left--;
      }
    }
    queueLength = left;
  }

  private boolean mustPause(MergeTask task) {
    if (priority.mustPause(task.output())) {
      return true;
    }
    for (StoredRun run : task.runs()) {
      if (priority.mustPause(((RunFile) run).disk())) {
        return true;
      }
    }
    return false;
  }

  /** A disk for merged runs, with its thread, which runs one task at a time. */
  private final class Output {
    private final Disk disk;
    private final DiskThread thread;
    // Used by the thread only; allocated at the first merge.
    private ByteBuffer memory;
    // Set by the planner, cleared by the thread.
    private volatile boolean merging;

    Output(Disk disk, int number) {
      this.disk = disk;
      this.thread = DiskThread.ofTasks("merge-disk-" + number);
    }

    void assign(MergeTask next) {
      merging = true;
      thread.execute(() -> mergeLogged(next));
    }

    private void mergeLogged(MergeTask next) {
      MergeOutcome outcome = MergeOutcome.STALE;
      try {
        outcome = merge(next);
      } catch (OutOfMemoryError e) {
        // Of direct memory: if the heap is exhausted, the process ends.
        outcome = MergeOutcome.POSTPONED;
        LOG.warn(
            "merge postponed, the server is out of memory disk={} problem={}",
            disk.name(),
            e.toString());
      } catch (RuntimeException | Error e) {
        excluded.addAll(next.runs());
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
        excluded.add(result.failedInput());
      }
      return result.outcome();
    }

    /** Pauses while spills have priority; cancels the merge if it is no longer needed. */
    private void checkpoint(MergeTask next) throws MergeCancelledException {
      boolean waits = false;
      while (true) {
        if (!next.log().isWritten()) {
          throw new MergeCancelledException("the shuffle was deleted");
        }
        boolean wanted = mustPause(next);
        if (!thread.pause(wanted ? TimeUnit.MILLISECONDS.toNanos(PAUSE_MS) : 0)) {
          throw new MergeCancelledException("the server stops");
        }
        if (!wanted) {
          return;
        }
        if (!waits) {
          waits = true;
          counters.paused();
        }
      }
    }

    private void done(MergeOutcome outcome) {
      merging = false;
      // After any other outcome the plan would be the same; wait for the next tick.
      if (outcome == MergeOutcome.MERGED) {
        planning.signal();
      }
    }
  }
}
