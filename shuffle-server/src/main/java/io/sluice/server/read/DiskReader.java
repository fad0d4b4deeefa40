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
 * The reads of one disk: a queue, and a few at a time on threads of its own.
 *
 * <p>A disk that keeps all its threads waiting for longer than a read may take is stalled: until
 * one of them comes back, further reads are refused at once. Thread-safe.
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
  private final ReadHealth health;
  private final DiskReadCounters counters;
  private final LongSupplier nanoTime;
  private final Runnable retry = this::startAll;

  @GuardedBy("this")
  private final FairQueue<Part> queue = new FairQueue<>(part -> part.bytes);

  @GuardedBy("this")
  private final Set<Part> running = new LinkedHashSet<>();

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
      ReadHealth health,
      DiskReadCounters counters,
      LongSupplier nanoTime) {
    this.disk = disk;
    this.threads = config.threads(disk.kind());
    this.config = config;
    this.budget = budget;
    this.pageCache = pageCache;
    this.allocator = allocator;
    this.executor = executor;
    this.health = health;
    this.counters = counters;
    this.nanoTime = nanoTime;
  }

  /** What a fetch wants of this disk. */
  final class Part {
    private final FileFetch fetch;
    private final List<Integer> pieces = new ArrayList<>();
    // Guarded by the reader.
    private long startedNanos;
    // Not changed once it is queued.
    private long bytes;

    Part(FileFetch fetch) {
      this.fetch = fetch;
      fetch.addPart();
    }

    void add(int piece) {
      pieces.add(piece);
      bytes += fetch.inFile(piece).length();
    }

    DiskReader reader() {
      return DiskReader.this;
    }
  }

  /** Queues a part; its fetch learns how it ends. */
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
      over(part, refusal);
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
          "disk " + disk.name() + " has not answered for " + config.timeoutMs() + " ms");
    }
    return null;
  }

  private SluiceException tooMany(int waiting) {
    return new SluiceException(
        StatusCode.BUSY,
        "disk " + disk.name() + ": " + waiting + " reads wait, limit " + config.maxQueued());
  }

  @GuardedBy("this")
  private boolean isStalled() {
    if (running.size() < threads) {
      return false;
    }
    long longNanos = TimeUnit.MILLISECONDS.toNanos(config.timeoutMs());
    long now = nanoTime.getAsLong();
    for (Part part : running) {
      if (now - part.startedNanos < longNanos) {
        return false;
      }
    }
    return true;
  }

  /**
   * Time is over for a part that may be queued, under way or done. The fetch is answered; what it
   * holds stays while a thread reads it.
   */
  void timeOut(Part part, long waitedNanos) {
    boolean queued;
    boolean reading;
    boolean idle;
    synchronized (this) {
      queued = queue.remove(part.fetch.connection(), part);
      reading = running.contains(part);
      idle = running.size() < threads;
    }
    if (!queued && !reading) {
      return;
    }
    counters.timedOut();
    long waitedMs = TimeUnit.NANOSECONDS.toMillis(waitedNanos);
    part.fetch.refuse(
        queued && idle
            ? new SluiceException(
                StatusCode.BUSY, "the read budget was spent for " + waitedMs + " ms")
            : new SluiceException(
                StatusCode.STORAGE_FAILED,
                "disk " + disk.name() + " has not answered a read for " + waitedMs + " ms"));
    if (queued) {
      part.fetch.partOver();
    } else {
      health.readTimedOut(disk, waitedNanos);
    }
  }

  synchronized int queued() {
    return queue.size();
  }

  /** Refuses what waits, and everything from now on; what is under way ends by itself. */
  void close() {
    List<Part> waiting;
    synchronized (this) {
      closed = true;
      waiting = queue.removeAll();
    }
    for (Part part : waiting) {
      over(part, stopping());
    }
  }

  /**
   * Opens a run's file for the caller alone, on a thread of the disk.
   *
   * @param run the caller holds a reference until the answer
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
   * Begins to read what will be wanted, if the disk has a thread to spare.
   *
   * @param piece takes
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
          if (!pageCache.holds(channel, piece.position(), piece.length())) {
            pageCache.readAhead(channel, piece.position(), piece.length());
            counters.readAhead(piece.length());
          }
        });
  }

  /**
   * Lets the page cache forget what was sent, unless the disk has too much to do.
   *
   * @param piece takes
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

  /** What is done with a file without anybody waiting for it. */
  private interface Advice {
    void give() throws IOException;
  }

  private void advise(LogPiece.InFile piece, Advice advice) {
    Runnable task =
        () -> {
          try {
            advice.give();
          } catch (IOException e) {
            health.readFailed(disk, failedRead(piece), e);
          } catch (RuntimeException | Error e) {
            LOG.warn("advice on a run file was not given disk={}", disk.name(), e);
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

  /** Starts one read if there is a thread for it, and room. */
  private boolean startNext() {
    Part next;
    synchronized (this) {
      if (running.size() >= threads) {
        return false;
      }
      // Bytes that wait for a thread are not counted: a disk that hangs must not use the budget up.
      next = queue.poll(part -> part.fetch.isAnswered() || part.fetch.takeBudget(budget, retry));
      if (next == null) {
        return false;
      }
      next.startedNanos = nanoTime.getAsLong();
      running.add(next);
    }
    try {
      executor.execute(() -> run(next));
    } catch (RejectedExecutionException e) {
      over(next, stopping());
    }
    return true;
  }

  /** Budget was given back: any number of threads may find something to do. */
  private void startAll() {
    boolean more = true;
    while (more) {
      more = startNext();
    }
  }

  static SluiceException stopping() {
    return new SluiceException(StatusCode.STORAGE_FAILED, "the server is stopping");
  }

  /** A part will not be read. */
  private void over(Part part, SluiceException refusal) {
    synchronized (this) {
      running.remove(part);
    }
    part.fetch.refuse(refusal);
    part.fetch.partOver();
  }

  private void run(Part part) {
    try {
      // Whoever asked may be gone, or have been refused for another disk's sake.
      if (!part.fetch.isAnswered()) {
        read(part);
      }
    } catch (IOException e) {
      failed(part, codeOf(e), "a run file cannot be read: " + e.getMessage(), e);
    } catch (OutOfMemoryError e) {
      // Of direct memory: without heap the process ends. The client asks again.
      failed(part, StatusCode.BUSY, "the server lacks memory for a read: " + e.getMessage(), e);
    } catch (RuntimeException | Error e) {
      LOG.error("read failed disk={}", disk.name(), e);
      failed(part, StatusCode.INTERNAL, "a read failed: " + e, e);
    } finally {
      synchronized (this) {
        running.remove(part);
      }
      part.fetch.partOver();
      startNext();
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
    long bytes = 0;
    for (int index : part.pieces) {
      LogPiece.InFile piece = part.fetch.inFile(index);
      try {
        read(part.fetch, index, piece);
      } catch (IOException e) {
        health.readFailed(disk, failedRead(piece), e);
        throw e;
      }
      bytes += piece.length();
      if (part.fetch.isAnswered()) {
        break;
      }
    }
    health.readSucceeded(disk, bytes, nanoTime.getAsLong() - began);
    counters.read(bytes);
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
          throw new EOFException("file " + run + " ends at " + at);
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
