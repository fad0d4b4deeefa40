package io.sluice.server.read;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.error.SluiceException;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.PageCache;
import io.sluice.server.disk.ReadableRun;
import io.sluice.server.log.LogPiece;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.service.BlockReads;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.FetchedBytes;
import io.sluice.transport.server.RequestMemory;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Reads the bytes of fetches. Bytes in memory, or in the page cache of an open file, are ready
 * immediately; the reader threads of the disk read the others. If a disk exceeds the timeout, the
 * fetch fails; its references are released when the reader thread returns.
 *
 * <p>Thread-safe.
 */
public final class FileReads implements BlockReads, AutoCloseable {
  private final DiskReadConfig config;
  private final ReadBudget budget;
  private final RequestMemory requestMemory;
  private final CachedFetchQueue cached;
  private final PageCache pageCache;
  private final ByteBufAllocator allocator;
  private final Function<Disk, Executor> threads;
  private final ScheduledExecutorService timer;
  private final ReadResultListener health;
  private final DiskReadCounters counters;
  private final LongSupplier nanoTime;
  private final DropBehind dropBehind;
  private final Map<Disk, DiskReader> readers = new ConcurrentHashMap<>();
  private final SequentialReads sequential = new SequentialReads();
  private volatile boolean closed;

  /**
   * @param requestMemory counts the heap of fetches, until their replies are sent
   * @param threads returns the executor of a disk, called once per disk; owned by the caller
   * @param timer runs the timeouts of reads; owned by the caller
   */
  public FileReads(
      DiskReadConfig config,
      ReadBudget budget,
      RequestMemory requestMemory,
      PageCache pageCache,
      ByteBufAllocator allocator,
      Function<Disk, Executor> threads,
      ScheduledExecutorService timer,
      ReadResultListener health,
      DiskReadCounters counters,
      LongSupplier nanoTime) {
    this.config = config;
    this.budget = budget;
    this.requestMemory = requestMemory;
    this.cached = new CachedFetchQueue(budget);
    this.pageCache = pageCache;
    this.allocator = allocator;
    this.threads = threads;
    this.timer = timer;
    this.health = health;
    this.counters = counters;
    this.nanoTime = nanoTime;
    this.dropBehind =
        new DropBehind(timer, nanoTime, piece -> readerOf(FileFetch.run(piece).disk()).drop(piece));
  }

  @Override
  public CompletableFuture<FetchedBytes> read(
      ClientConnection connection, long epoch, ShuffleLog log, List<LogRange> ranges)
      throws SluiceException {
    List<LogPiece> found = log.read(ranges);
    LogRange last = ranges.get(ranges.size() - 1);
    SequentialReads.Stream stream = sequential.add(connection, log.key(), last);
    FileFetch fetch = fetch(connection, epoch, found);
    if (!begin(fetch, stream.isSequential())) {
      stream.waitsForDisk();
    }
    if (stream.readsAhead()) {
      readAhead(log, last);
    }
    return fetch.answer();
  }

  /**
   * Reads pieces that a log has found, without read-ahead. Otherwise as {@link BlockReads#read}.
   *
   * @param found this method takes ownership
   * @param continued whether the client will probably read the bytes after the last piece next
   */
  public CompletableFuture<FetchedBytes> read(
      ClientConnection connection, long epoch, List<LogPiece> found, boolean continued) {
    FileFetch fetch = fetch(connection, epoch, found);
    begin(fetch, continued);
    return fetch.answer();
  }

  private FileFetch fetch(ClientConnection connection, long epoch, List<LogPiece> found) {
    return new FileFetch(connection, epoch, found, requestMemory, this::sent, nanoTime);
  }

  /** Returns whether all bytes are in memory, or known to be in the page cache. */
  private boolean begin(FileFetch fetch, boolean continued) {
    Map<DiskReader, DiskReader.Part> parts = null;
    long now = nanoTime.getAsLong();
    for (int i = 0; i < fetch.pieceCount(); i++) {
      LogPiece.InFile piece = fetch.inFile(i);
      if (piece == null) {
        continue;
      }
      ReadableRun run = FileFetch.run(piece);
      run.markRead(now);
      FileChannel open = run.openChannel();
      if (open != null && pageCache.isCached(open, piece.position(), piece.length())) {
        fetch.ready(i, new FetchedBytes.FilePiece(open, piece.position(), piece.length()));
        counters.cached(piece.length());
        continue;
      }
      if (parts == null) {
        parts = new LinkedHashMap<>();
      }
      DiskReader reader = readerOf(run.disk());
      parts
          .computeIfAbsent(reader, unused -> reader.new Part(fetch))
          .add(i, continued && i + 1 == fetch.pieceCount());
    }
    if (parts == null) {
      if (!cached.submit(fetch)) {
        scheduleTimeout(fetch, List.of(), now);
      }
      return true;
    }
    List<DiskReader.Part> all = new ArrayList<>(parts.values());
    for (DiskReader.Part part : all) {
      part.reader().submit(part);
    }
    if (!fetch.isAnswered()) {
      scheduleTimeout(fetch, all, now);
    }
    fetch.partDone();
    return false;
  }

  /** Starts read-ahead of the bytes after a range, if the disk is idle. */
  private void readAhead(ShuffleLog log, LogRange range) {
    long from = range.offset() + range.length();
    long length = Math.min(config.readAheadBytes(), log.partitionLength(range.partition()) - from);
    if (length <= 0) {
      return;
    }
    List<LogPiece> next;
    try {
      next = log.read(List.of(new LogRange(range.partition(), from, length)));
    } catch (SluiceException e) {
      // The data was removed or lost meanwhile; the next fetch reports it.
      return;
    }
    for (LogPiece piece : next) {
      if (piece instanceof LogPiece.InFile file) {
        readerOf(FileFetch.run(file).disk()).readAhead(file);
      } else {
        piece.release();
      }
    }
  }

  /**
   * Opens a run's file for another process, on a thread of its disk. Never blocks.
   *
   * @param run the caller keeps a reference until the result is complete
   * @return a channel with a separate open file description, owned by the caller
   */
  public CompletableFuture<FileChannel> openOwn(ReadableRun run) {
    return readerOf(run.disk()).openOwn(run);
  }

  /** Schedules drop-behind for the pieces of a fetch, before its references are released. */
  private void sent(List<LogPiece> found) {
    if (!config.dropBehind()) {
      return;
    }
    for (LogPiece piece : found) {
      if (piece instanceof LogPiece.InFile file) {
        // Released after the drop.
        file.run().retain();
        dropBehind.sent(file);
      }
    }
  }

  private DiskReader readerOf(Disk disk) {
    DiskReader reader =
        readers.computeIfAbsent(
            disk,
            unused ->
                new DiskReader(
                    disk,
                    config,
                    budget,
                    pageCache,
                    allocator,
                    threads.apply(disk),
                    health,
                    counters,
                    nanoTime));
    if (closed) {
      reader.close();
    }
    return reader;
  }

  private void scheduleTimeout(FileFetch fetch, List<DiskReader.Part> parts, long beganNanos) {
    Future<?> timeout;
    try {
      timeout =
          timer.schedule(
              () -> {
                long waited = nanoTime.getAsLong() - beganNanos;
                cached.timeOut(fetch, TimeUnit.NANOSECONDS.toMillis(waited));
                parts.forEach(part -> part.reader().timeOut(part, waited));
              },
              config.timeoutMs(),
              TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      // The server is stopping: its readers refuse queued reads.
      return;
    }
    CompletableFuture<FetchedBytes> unused =
        fetch.answer().whenComplete((bytes, failure) -> timeout.cancel(false));
  }

  /** Number of reads that wait for a disk or for the read budget. */
  public int queuedReads() {
    return cached.queued() + readers.values().stream().mapToInt(DiskReader::queued).sum();
  }

  /** Refuses queued and later reads. Idempotent. */
  @Override
  public void close() {
    closed = true;
    cached.close();
    dropBehind.close();
    readers.values().forEach(DiskReader::close);
  }
}
