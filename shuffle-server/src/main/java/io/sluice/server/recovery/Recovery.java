package io.sluice.server.recovery;

import io.sluice.common.net.DaemonThreads;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restores the store from the directories, before the server accepts requests. {@link #find} scans
 * the directories; then the caller chooses a new epoch, larger than any found; then {@link
 * #restore} fills the store.
 *
 * <p>Owned by one thread.
 */
public final class Recovery {
  private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

  private static final long PROGRESS_MS = 5_000;

  /** Maximum number of shuffles restored in parallel; CPU-bound, as block lists are cached. */
  private static final int MAX_THREADS = 4;

  private final List<Disk> disks;
  private final RunFiles files;
  private final ShuffleStore store;
  private final LongSupplier nanoTime;
  private final long timeoutNanos;
  private final Workers workers;

  /** Starts the threads of a step. */
  public interface Workers {
    /**
     * Returns an executor, which its user shuts down.
     *
     * @param name prefix of the names of its threads
     */
    ExecutorService start(String name, int threads);
  }

  /**
   * @param timeoutMs timeout of each of the two steps; a directory that is not scanned by then is
   *     skipped
   */
  public Recovery(
      List<Disk> disks, RunFiles files, ShuffleStore store, long timeoutMs, LongSupplier nanoTime) {
    this(disks, files, store, timeoutMs, nanoTime, Recovery::daemons);
  }

  /**
   * As the other, with threads from the caller.
   *
   * @param workers called once for each step
   */
  public Recovery(
      List<Disk> disks,
      RunFiles files,
      ShuffleStore store,
      long timeoutMs,
      LongSupplier nanoTime,
      Workers workers) {
    this.disks = List.copyOf(disks);
    this.files = files;
    this.store = store;
    this.nanoTime = nanoTime;
    this.timeoutNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    this.workers = workers;
  }

  /**
   * Scans all directories in parallel, and deletes files that their catalogs do not list. A
   * directory that is unreadable or exceeds the timeout counts as lost.
   */
  public ScanResult find() throws InterruptedException {
    long deadlineNanos = nanoTime.getAsLong() + timeoutNanos;
    List<DirectoryScan> scans = disks.stream().map(DirectoryScan::new).toList();
    List<DirectoryContents> contents = new ArrayList<>();
    ExecutorService executor = workers.start("recovery-disk", Math.max(1, scans.size()));
    try {
      List<Future<DirectoryContents>> running = new ArrayList<>();
      scans.forEach(scan -> running.add(executor.submit(scan::scan)));
      for (int i = 0; i < scans.size(); i++) {
        DirectoryScan scan = scans.get(i);
        try {
          contents.add(
              await(
                  running.get(i),
                  deadlineNanos,
                  () ->
                      "directory="
                          + scan.disk().name()
                          + " checkedRuns="
                          + scan.checked()
                          + " ofRuns="
                          + scan.recorded()));
        } catch (TimeoutException e) {
          scan.abandon();
          LOG.warn(
              "directory not recovered within rss.server.recovery.timeout directory={}",
              scan.disk().name());
        } catch (ExecutionException e) {
          LOG.warn(
              "directory not recovered directory={} problem={}",
              scan.disk().name(),
              e.getCause().toString());
        }
      }
    } finally {
      scans.forEach(DirectoryScan::abandon);
      executor.shutdownNow();
    }
    return new ScanResult(contents);
  }

  /**
   * Fills the store.
   *
   * @param previousEpoch the previous epoch; 0: none
   * @param epoch the new epoch
   * @throws IOException if the timeout is exceeded
   */
  public RecoveryResult restore(ScanResult findings, long previousEpoch, long epoch)
      throws IOException, InterruptedException {
    long deadlineNanos = nanoTime.getAsLong() + timeoutNanos;
    Set<ShuffleKey> deleted = findings.deleted();
    store.restoreForgotten(deleted);
    RunSelection selection = RunSelection.of(findings.runs(), deleted);
    for (FoundRun dropped : selection.dropped()) {
      files.add(dropped.disk(), dropped.record()).discard();
    }
    findings
        .unneeded()
        .forEach((disk, runs) -> runs.forEach(run -> files.add(disk, run).discard()));
    AtomicInteger lost = new AtomicInteger(findings.lost().size());
    AtomicInteger runs = new AtomicInteger();
    AtomicLong bytes = new AtomicLong();
    Map<ShuffleKey, List<FoundRun>> shuffles = selection.byShuffle();
    AtomicInteger done = new AtomicInteger();
    int threads = Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors());
    ExecutorService executor = workers.start("recovery-shuffle", threads);
    try {
      List<Future<?>> running = new ArrayList<>();
      shuffles.forEach(
          (key, found) ->
              running.add(
                  executor.submit(
                      () -> {
                        ShuffleRestore restore = new ShuffleRestore(store.restore(key), files);
                        restore.restore(found);
                        lost.addAndGet(restore.lost());
                        runs.addAndGet(found.size() - restore.lost());
                        bytes.addAndGet(restore.bytes());
                        done.incrementAndGet();
                      })));
      for (Future<?> one : running) {
        await(
            one,
            deadlineNanos,
            () -> "restoredShuffles=" + done.get() + " ofShuffles=" + shuffles.size());
      }
    } catch (TimeoutException e) {
      throw new IOException(
          "recovery timed out: "
              + done.get()
              + " of "
              + shuffles.size()
              + " shuffles were restored; raise rss.server.recovery.timeout",
          e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("recovery failed", e.getCause());
    } finally {
      executor.shutdownNow();
    }
    long wholeSince = lost.get() == 0 ? findings.wholeSinceEpoch(previousEpoch, epoch) : epoch;
    RecoveryResult recovered =
        new RecoveryResult(epoch, wholeSince, shuffles.size(), runs.get(), bytes.get(), lost.get());
    LOG.info(
        "recovery done shuffles={} runs={} bytes={} lostRuns={} droppedRuns={} deletedShuffles={}"
            + " epoch={} wholeSinceEpoch={}",
        recovered.shuffles(),
        recovered.runs(),
        recovered.bytes(),
        recovered.lostRuns(),
        selection.dropped().size(),
        deleted.size(),
        epoch,
        wholeSince);
    return recovered;
  }

  private <T> T await(Future<T> task, long deadlineNanos, Supplier<String> progress)
      throws InterruptedException, ExecutionException, TimeoutException {
    while (true) {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - nanoTime.getAsLong());
      if (leftMs <= 0 && !task.isDone()) {
        throw new TimeoutException();
      }
      try {
        return task.get(Math.max(1, Math.min(PROGRESS_MS, leftMs)), TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        LOG.info("recovery in progress {}", progress.get());
      }
    }
  }

  private static ExecutorService daemons(String name, int threads) {
    return Executors.newFixedThreadPool(threads, DaemonThreads.numbered(name));
  }
}
