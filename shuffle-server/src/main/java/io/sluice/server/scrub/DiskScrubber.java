package io.sluice.server.scrub;

import io.sluice.common.run.RunFormatException;
import io.sluice.common.run.RunReader;
import io.sluice.server.threads.LockWait;
import io.sluice.server.threads.RateLimiter;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies the runs of one disk again and again, on a thread of its own. {@link #close} does not
 * wait for a disk that hangs. Thread-safe.
 */
public final class DiskScrubber<R extends ScrubbedRun> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DiskScrubber.class);

  /** How often it is asked whether a run is due; an interval is an hour. */
  private static final long POLL_MS = 10_000;

  private static final long STOP_WAIT_MS = 2_000;

  /** The run is not needed any more: no reason to read on. */
  private static final class NotNeededException extends IOException {
    private static final long serialVersionUID = 1L;
  }

  private final ScrubbedDisk<R> disk;
  private final ScrubCounters counters;
  private final LongSupplier nanoTime;
  private final ScrubSchedule<R> schedule;
  private final ScrubPace pace;
  private final long pollMs;
  private final Object lock = new Object();
  private final LockWait lockWait;
  // Used by the scrubbing thread only; made when it is needed.
  private ByteBuffer[] buffers;

  // Guarded by lock.
  private boolean stopped;
  private Thread thread;

  public DiskScrubber(
      ScrubbedDisk<R> disk, ScrubConfig config, ScrubCounters counters, LongSupplier nanoTime) {
    this(disk, config, counters, nanoTime, null);
  }

  /**
   * As the other, with pauses by the caller.
   *
   * @param pause null: those of this object, which its end cuts short
   */
  DiskScrubber(
      ScrubbedDisk<R> disk,
      ScrubConfig config,
      ScrubCounters counters,
      LongSupplier nanoTime,
      ScrubPace.Pause pause) {
    this.disk = disk;
    this.counters = counters;
    this.nanoTime = nanoTime;
    this.lockWait = new LockWait(lock, nanoTime);
    this.schedule = new ScrubSchedule<>(TimeUnit.MILLISECONDS.toNanos(config.intervalMs()));
    this.pollMs = Math.min(POLL_MS, config.intervalMs());
    this.pace =
        new ScrubPace(
            new RateLimiter(config.bytesPerSecond(), nanoTime),
            disk::isBusy,
            pause == null ? this::awaitUnlessStopped : pause);
  }

  /** Starts its thread. */
  public void start(int number) {
    synchronized (lock) {
      thread = new Thread(this::scrubUntilStopped, "scrub-disk-" + number);
      thread.setDaemon(true);
      thread.start();
    }
  }

  /** Ends the thread. Idempotent. */
  @Override
  public void close() {
    Thread running;
    synchronized (lock) {
      stopped = true;
      running = thread;
      lock.notifyAll();
    }
    if (running != null) {
      try {
        running.join(STOP_WAIT_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void scrubUntilStopped() {
    do {
      try {
        pass();
      } catch (RuntimeException | Error e) {
        LOG.error("scrubbing failed disk={}", disk.name(), e);
      }
    } while (awaitUnlessStopped(pollMs));
  }

  /** Verifies every run that is due now. */
  void pass() {
    List<R> due = schedule.due(disk.runs(), nanoTime.getAsLong());
    for (R run : due) {
      if (isStopped()) {
        return;
      }
      if (run.isNeeded()) {
        verify(run);
      }
      schedule.done(run, nanoTime.getAsLong());
    }
  }

  private void verify(R run) {
    try {
      if (buffers == null) {
        buffers = PacedChannel.newBuffers();
      }
      FileChannel file = run.open();
      if (file == null) {
        return;
      }
      try (PacedChannel paced = new PacedChannel(file, bytes -> beforeRead(run, bytes), buffers);
          RunReader reader = RunReader.open(paced, run.file())) {
        reader.verify();
      } finally {
        run.closed();
      }
      counters.verified();
    } catch (NotNeededException | InterruptedIOException e) {
      LOG.debug("run not verified to its end file={} reason={}", run.file(), e.toString());
    } catch (RunFormatException e) {
      if (run.isNeeded()) {
        counters.damaged();
        LOG.error("run is damaged {}", e.getMessage());
        disk.damaged(run, e);
      }
    } catch (IOException e) {
      if (run.isNeeded()) {
        counters.unreadable();
        LOG.warn("run could not be verified file={} problem={}", run.file(), e.toString());
        disk.unreadable(run, e);
      }
    }
  }

  private void beforeRead(R run, int bytes) throws IOException {
    if (!run.isNeeded()) {
      throw new NotNeededException();
    }
    pace.beforeRead(bytes);
    counters.read(bytes);
  }

  private boolean isStopped() {
    synchronized (lock) {
      return stopped;
    }
  }

  /** Waits; false once stopped. */
  private boolean awaitUnlessStopped(long millis) {
    synchronized (lock) {
      return lockWait.await(TimeUnit.MILLISECONDS.toNanos(millis), () -> stopped) && !stopped;
    }
  }
}
