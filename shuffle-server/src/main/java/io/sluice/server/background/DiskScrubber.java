package io.sluice.server.background;

import io.sluice.common.run.DamagedBlock;
import io.sluice.common.run.RunFormatException;
import io.sluice.common.run.RunReader;
import io.sluice.server.disk.DiskThread;
import io.sluice.server.disk.RateLimiter;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies the runs of one disk periodically, on its own thread. {@link #close} does not wait for a
 * disk that hangs. Thread-safe.
 */
public final class DiskScrubber<R extends ScrubbedRun> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DiskScrubber.class);

  /** Interval of checks for due runs; the default scrub interval is an hour. */
  private static final long POLL_MS = 10_000;

  static final long STOP_WAIT_MS = 2_000;

  private static final int MAX_LOGGED_BLOCKS = 10;

  /** The run is no longer needed: stops reading it. */
  private static final class NotNeededException extends IOException {
    private static final long serialVersionUID = 1L;
  }

  private final ScrubbedDisk<R> disk;
  private final ScrubCounters counters;
  private final LongSupplier nanoTime;
  private final ScrubSchedule<R> schedule;
  private final ScrubRateLimit rateLimit;
  private final DiskThread thread;
  // Used by the scrubbing thread only; allocated on first use.
  private ByteBuffer[] buffers;

  /**
   * @param number of the disk, for the name of its thread
   */
  public DiskScrubber(
      ScrubbedDisk<R> disk,
      ScrubConfig config,
      ScrubCounters counters,
      LongSupplier nanoTime,
      int number) {
    this(disk, config, counters, nanoTime, number, null);
  }

  /**
   * As the other constructor, with a given pause.
   *
   * @param pause null: the pause of the thread, which {@link #close} interrupts
   */
  DiskScrubber(
      ScrubbedDisk<R> disk,
      ScrubConfig config,
      ScrubCounters counters,
      LongSupplier nanoTime,
      int number,
      ScrubRateLimit.Pause pause) {
    this.disk = disk;
    this.counters = counters;
    this.nanoTime = nanoTime;
    this.schedule = new ScrubSchedule<>(TimeUnit.MILLISECONDS.toNanos(config.intervalMs()));
    this.thread =
        new DiskThread("scrub-disk-" + number, Math.min(POLL_MS, config.intervalMs()), this::pass);
    this.rateLimit =
        new ScrubRateLimit(
            new RateLimiter(config.bytesPerSecond(), nanoTime),
            disk::isBusy,
            pause == null ? ms -> thread.pause(TimeUnit.MILLISECONDS.toNanos(ms)) : pause);
  }

  /** Starts the thread, which starts to verify at once. */
  public void start() {
    thread.signal();
    thread.start();
  }

  DiskThread thread() {
    return thread;
  }

  /** Stops the thread. Idempotent. */
  @Override
  public void close() {
    DiskThread.stopAll(List.of(thread), STOP_WAIT_MS);
  }

  /** Verifies every due run. */
  void pass() {
    List<R> due = schedule.due(disk.runs(), nanoTime.getAsLong());
    for (R run : due) {
      if (thread.isStopping()) {
        return;
      }
      if (run.isNeeded()) {
        verify(run);
      }
      schedule.done(run, nanoTime.getAsLong());
    }
  }

  private void verify(R run) {
    List<DamagedBlock> damaged = new ArrayList<>();
    try {
      if (buffers == null) {
        buffers = RateLimitedChannel.newBuffers();
      }
      FileChannel file = run.open();
      if (file == null) {
        return;
      }
      try (RateLimitedChannel paced =
              new RateLimitedChannel(file, bytes -> beforeRead(run, bytes), buffers);
          RunReader reader = RunReader.open(paced, run.file())) {
        reader.verify(
            block -> {
              if (!run.isDamagedAt(block.fileOffset())) {
                damaged.add(block);
              }
            });
      } finally {
        run.closed();
      }
      if (damaged.isEmpty()) {
        counters.verified();
      } else if (run.isNeeded()) {
        report(run, damaged);
      }
    } catch (NotNeededException | InterruptedIOException e) {
      LOG.debug("verification of run cancelled file={} reason={}", run.file(), e.toString());
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

  private void report(R run, List<DamagedBlock> damaged) {
    counters.damaged();
    damaged.stream()
        .limit(MAX_LOGGED_BLOCKS)
        .forEach(block -> LOG.error("block is damaged {}", block.problem().getMessage()));
    if (damaged.size() > MAX_LOGGED_BLOCKS) {
      LOG.error("further blocks are damaged file={} blocks={}", run.file(), damaged.size());
    }
    disk.damaged(run, damaged);
  }

  private void beforeRead(R run, int bytes) throws IOException {
    if (!run.isNeeded()) {
      throw new NotNeededException();
    }
    rateLimit.beforeRead(bytes);
    counters.read(bytes);
  }
}
