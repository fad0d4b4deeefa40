package io.sluice.server.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskFault;
import io.sluice.server.disk.FailedRead;
import io.sluice.server.disk.PageCache;
import io.sluice.server.disk.ReadableRun;
import io.sluice.server.log.LogPiece;
import io.sluice.transport.server.FetchedBytes;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads of one disk: a queue, and a limited number of concurrent reads on the disk's threads, of
 * which {@link ReadShares} gives each application a part.
 *
 * <p>A disk is stalled if all its threads have waited for it for longer than the read timeout.
 * Further reads are refused immediately until one of the threads returns. Thread-safe.
 */
final class DiskReader {
  private static final Logger LOG = LoggerFactory.getLogger(DiskReader.class);

  private final Disk disk;
  private final int threads;
  private final DiskReadConfig config;
  private final ReadBudget budget;
  private final PageCache pageCache;
  private final ByteBufAllocator allocator;
  private final Executor executor;
  private final ReadResultListener health;
  private final DiskReadCounters counters;
  private final LongSupplier nanoTime;
  private final Runnable retry = this::startAll;

  @GuardedBy("this")
  private final FairQueue<Part> queue = new FairQueue<>(part -> part.bytes);

  @GuardedBy("this")
  private final Set<Part> running = new LinkedHashSet<>();

  @GuardedBy("this")
  private final ReadShares shares;

  @GuardedBy("this")
  private int advising;

  @GuardedBy("this")
  private int opening;

  @GuardedBy("this")
  private boolean closed;

  DiskReader(
      Disk disk,
      DiskReadConfig config,
      ReadBudget budget,
      PageCache pageCache,
      ByteBufAllocator allocator,
      Executor executor,
      ReadResultListener health,
      DiskReadCounters counters,
      LongSupplier nanoTime) {
    this.disk = disk;
    this.threads = config.threads(disk.kind());
    this.shares = new ReadShares(disk.kind());
    this.config = config;
    this.budget = budget;
    this.pageCache = pageCache;
    this.allocator = allocator;
    this.executor = executor;
    this.health = health;
    this.counters = counters;
    this.nanoTime = nanoTime;
  }

  /** Pieces of a fetch on this disk. */
  final class Part {
    private final FileFetch fetch;
    private final List<Integer> pieces = new ArrayList<>();
    private boolean continued;
    // Guarded by the reader.
    private long startedNanos;
    // Constant after the part is queued.
    private long bytes;
    // Used by the thread that reads the part.
    private long readBytes;

    Part(FileFetch fetch) {
      this.fetch = fetch;
      fetch.addPart();
    }

    /**
     * @param piece number of the piece in the fetch
     * @param next whether the client will probably read the bytes after the piece next
     */
    void add(int piece, boolean next) {
      pieces.add(piece);
      continued = next;
      bytes += fetch.inFile(piece).length();
    }

    String application() {
      return fetch.connection().application();
    }

    DiskReader reader() {
      return DiskReader.this;
    }
  }

  /** Queues a part, which completes or fails its fetch. */
  void submit(Part part) {
    SluiceException refusal;
    synchronized (this) {
      refusal = refusalNow();
      if (refusal == null) {
        queue.add(part.fetch.connection(), part);
      }
    }
    if (refusal != null) {
      counters.refused();
      refuse(part, refusal);
      return;
    }
    startNext();
  }

  @GuardedBy("this")
  private SluiceException refusalNow() {
    if (closed) {
      return stopping();
    }
    if (queue.size() >= config.maxQueued()) {
      return tooMany(queue.size());
    }
    if (isStalled()) {
      return new SluiceException(
          StatusCode.STORAGE_FAILED,
          "disk "
              + disk.name()
              + " is stalled: no read completed within "
              + config.timeoutMs()
              + " ms (rss.server.disk.read.timeout)");
    }
    return null;
  }

  private SluiceException tooMany(int waiting) {
    return new SluiceException(
        StatusCode.BUSY,
        "disk " + disk.name() + " has " + waiting + " queued reads, maximum " + config.maxQueued());
  }

  @GuardedBy("this")
  private boolean isStalled() {
    if (running.size() < threads) {
      return false;
    }
    long timeoutNanos = TimeUnit.MILLISECONDS.toNanos(config.timeoutMs());
    long now = nanoTime.getAsLong();
    for (Part part : running) {
      if (now - part.startedNanos < timeoutNanos) {
        return false;
      }
    }
    return true;
  }

  /**
   * Handles the timeout of a part that may be queued, running or done. The fetch fails; its
   * references are kept while a thread reads.
   */
  void timeOut(Part part, long waitedNanos) {
    boolean queued;
    boolean reading;
    boolean idle;
    synchronized (this) {
      queued = queue.remove(part.fetch.connection(), part);
      reading = running.contains(part);
      idle = running.size() < threads && mayStart(part);
    }
    if (!queued && !reading) {
      return;
    }
    counters.timedOut();
    long waitedMs = TimeUnit.NANOSECONDS.toMillis(waitedNanos);
    part.fetch.refuse(
        queued && idle
            ? new SluiceException(
                StatusCode.BUSY,
                "no read budget became free within "
                    + waitedMs
                    + " ms (rss.server.read.buffer.capacity)")
            : new SluiceException(
                StatusCode.STORAGE_FAILED,
                "disk " + disk.name() + " did not complete a read within " + waitedMs + " ms"));
    if (queued) {
      part.fetch.partDone();
    } else {
      health.readTimedOut(disk, waitedNanos);
    }
  }

  synchronized int queued() {
    return queue.size();
  }

  /** Refuses queued and later reads; running reads end normally. */
  void close() {
    List<Part> waiting;
    synchronized (this) {
      closed = true;
      waiting = queue.removeAll();
    }
    for (Part part : waiting) {
      refuse(part, stopping());
    }
  }

  /**
   * Opens a run's file for the caller alone, on a thread of the disk.
   *
   * @param run the caller keeps a reference until the result is complete
   * @return owned by the caller
   */
  CompletableFuture<FileChannel> openOwn(ReadableRun run) {
    CompletableFuture<FileChannel> answer = new CompletableFuture<>();
    SluiceException refusal;
    synchronized (this) {
      refusal = refusalNow();
      if (refusal == null && opening >= config.maxQueued()) {
        refusal = tooMany(opening);
      }
      opening += refusal == null ? 1 : 0;
    }
    if (refusal != null) {
      answer.completeExceptionally(refusal);
      return answer;
    }
    try {
      executor.execute(() -> openOwn(run, answer));
    } catch (RejectedExecutionException e) {
      opened();
      answer.completeExceptionally(stopping());
    }
    return answer;
  }

  private void openOwn(ReadableRun run, CompletableFuture<FileChannel> answer) {
    try {
      answer.complete(run.openOwn());
    } catch (IOException e) {
      health.readFailed(disk, run.failedRead(0, 1), e);
      answer.completeExceptionally(e);
    } catch (RuntimeException | Error e) {
      answer.completeExceptionally(e);
    } finally {
      opened();
    }
  }

  private synchronized void opened() {
    opening--;
  }

  /**
   * Starts read-ahead of a piece, if the disk has an idle thread.
   *
   * @param piece this method takes ownership
   */
  void readAhead(LogPiece.InFile piece) {
    boolean idle;
    synchronized (this) {
      idle = !closed && queue.size() == 0 && running.size() + advising < threads;
      advising += idle ? 1 : 0;
    }
    if (!idle) {
      piece.release();
      return;
    }
    advise(
        piece,
        () -> {
          FileChannel channel = FileFetch.run(piece).channel();
          if (!pageCache.isCached(channel, piece.position(), piece.length())) {
            pageCache.readAhead(channel, piece.position(), piece.length());
            counters.readAhead(piece.length());
          }
        });
  }

  /**
   * Drops a sent piece from the page cache, unless the disk's queue is full.
   *
   * @param piece this method takes ownership
   */
  void drop(LogPiece.InFile piece) {
    boolean possible;
    synchronized (this) {
      possible = !closed && advising < config.maxQueued();
      advising += possible ? 1 : 0;
    }
    if (!possible) {
      piece.release();
      return;
    }
    advise(
        piece,
        () -> pageCache.drop(FileFetch.run(piece).channel(), piece.position(), piece.length()));
  }

  /** A page cache operation on a file, without a result. */
  private interface Advice {
    void run() throws IOException;
  }

  private void advise(LogPiece.InFile piece, Advice advice) {
    Runnable task =
        () -> {
          try {
            advice.run();
          } catch (IOException e) {
            health.readFailed(disk, failedRead(piece), e);
          } catch (RuntimeException | Error e) {
            LOG.warn("page cache operation on a run file failed disk={}", disk.name(), e);
          } finally {
            advised(piece);
          }
        };
    try {
      executor.execute(task);
    } catch (RejectedExecutionException e) {
      advised(piece);
    }
  }

  private void advised(LogPiece.InFile piece) {
    synchronized (this) {
      advising--;
    }
    piece.release();
  }

  /** Starts one read, if a thread and read budget are free. */
  private boolean startNext() {
    Part next;
    synchronized (this) {
      if (running.size() >= threads) {
        return false;
      }
      // Reads get budget only with a thread, so that a hanging disk does not use up the budget.
      next =
          queue.poll(
              part ->
                  part.fetch.isAnswered()
                      || (mayStart(part) && part.fetch.takeBudget(budget, retry)));
      if (next == null) {
        return false;
      }
      next.startedNanos = nanoTime.getAsLong();
      running.add(next);
      shares.started(next.application(), next.bytes, next.startedNanos);
    }
    try {
      executor.execute(() -> run(next));
    } catch (RejectedExecutionException e) {
      refuse(next, stopping());
    }
    return true;
  }

  private synchronized boolean mayStart(Part part) {
    return shares.mayStart(part.application(), part.bytes, nanoTime.getAsLong());
  }

  /** Starts reads on all idle threads, after budget was released or a read has ended. */
  private void startAll() {
    boolean more = true;
    while (more) {
      more = startNext();
    }
  }

  static SluiceException stopping() {
    return new SluiceException(StatusCode.STORAGE_FAILED, "the server is stopping");
  }

  /** Fails a part that will not be read. */
  private void refuse(Part part, SluiceException refusal) {
    ended(part);
    part.fetch.refuse(refusal);
    part.fetch.partDone();
  }

  private void run(Part part) {
    try {
      // The client may have disconnected, or another disk may have failed the fetch.
      if (!part.fetch.isAnswered()) {
        read(part);
      }
    } catch (IOException e) {
      failed(part, codeOf(e), "cannot read a run file: " + e.getMessage(), e);
    } catch (OutOfMemoryError e) {
      // Direct memory is exhausted (without heap the process exits). The client retries.
      failed(
          part,
          StatusCode.BUSY,
          "the server has no direct memory for a disk read: " + e.getMessage(),
          e);
    } catch (RuntimeException | Error e) {
      LOG.error("internal error during a disk read disk={}", disk.name(), e);
      failed(part, StatusCode.INTERNAL, "internal error during a disk read: " + e, e);
    } finally {
      ended(part);
      part.fetch.partDone();
      startAll();
    }
  }

  private synchronized void ended(Part part) {
    if (running.remove(part)) {
      shares.ended(part.application(), part.bytes, part.readBytes, nanoTime.getAsLong());
    }
  }

  private static FailedRead failedRead(LogPiece.InFile piece) {
    return FileFetch.run(piece).failedRead(piece.position(), piece.length());
  }

  private static StatusCode codeOf(IOException problem) {
    return switch (DiskFault.of(problem)) {
      case ABSENT -> StatusCode.LOST;
      case UNRELATED -> StatusCode.BUSY;
      case FULL, READ_ONLY, FAILED -> StatusCode.STORAGE_FAILED;
    };
  }

  private void failed(Part part, StatusCode code, String message, Throwable problem) {
    counters.failed();
    part.fetch.refuse(new SluiceException(code, message, problem));
  }

  private void read(Part part) throws IOException {
    long began = nanoTime.getAsLong();
    for (int index : part.pieces) {
      LogPiece.InFile piece = part.fetch.inFile(index);
      try {
        read(part.fetch, index, piece);
      } catch (IOException e) {
        health.readFailed(disk, failedRead(piece), e);
        throw e;
      }
      part.readBytes += piece.length();
      if (part.fetch.isAnswered()) {
        break;
      }
    }
    part.readBytes += readRest(part);
    health.readSucceeded(disk, part.readBytes, nanoTime.getAsLong() - began);
    counters.read(part.readBytes);
  }

  /**
   * Loads the rest of an extent into the page cache, if it is short, so that the next fetch needs
   * no seek for it. Returns the number of bytes.
   */
  private long readRest(Part part) {
    LogPiece.InFile last = part.fetch.inFile(part.pieces.get(part.pieces.size() - 1));
    int rest = part.continued ? ExtentRest.bytes(disk.kind(), last) : 0;
    if (rest == 0 || part.fetch.isAnswered()) {
      return 0;
    }
    try {
      FileChannel channel = FileFetch.run(last).channel();
      return pageCache.load(channel, last.position() + last.length(), rest) ? rest : 0;
    } catch (IOException e) {
      // The fetch of these bytes will fail and report it.
      return 0;
    }
  }

  private void read(FileFetch fetch, int index, LogPiece.InFile piece) throws IOException {
    ReadableRun run = FileFetch.run(piece);
    FileChannel channel = run.channel();
    if (pageCache.load(channel, piece.position(), piece.length())) {
      fetch.ready(index, new FetchedBytes.FilePiece(channel, piece.position(), piece.length()));
      return;
    }
    ByteBuf bytes = allocator.directBuffer(piece.length(), piece.length());
    boolean whole = false;
    try {
      while (bytes.isWritable()) {
        long at = piece.position() + bytes.writerIndex();
        if (bytes.writeBytes(channel, at, bytes.writableBytes()) <= 0) {
          throw new EOFException("run file " + run + " is truncated at offset " + at);
        }
      }
      whole = true;
    } finally {
      if (!whole) {
        bytes.release();
      }
    }
    fetch.ready(index, bytes);
  }
}
