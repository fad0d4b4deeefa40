package io.sluice.server.read;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.FetchReply;
import io.sluice.server.disk.ReadableRun;
import io.sluice.server.log.LogPiece;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.FetchedBytes;
import io.sluice.transport.server.RequestMemory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * State of one fetch: the location of its bytes and the pieces that are ready to send. It completes
 * once, with itself or an error. Its references are released when the receiver closes it. After an
 * error they are released when its last part is done, so that no file is closed while a thread
 * reads it.
 *
 * <p>Thread-safe: each part's pieces are written by one thread, before {@link #partDone}.
 */
final class FileFetch implements FetchedBytes {
  /** Sent bytes are returned to the budget in units of this size, not for every write. */
  private static final int RELEASE_BYTES = 512 << 10;

  /** Heap of a fetch, and of each of its pieces including its buffer or reference to a run. */
  private static final int FETCH_HEAP_BYTES = 512;

  private static final int PIECE_HEAP_BYTES = 200;

  private final long epoch;
  private final long fromMemory;
  private final int length;
  private final List<LogPiece> found;
  private final Piece[] pieces;
  private final CompletableFuture<FetchedBytes> answer = new CompletableFuture<>();
  private final AtomicInteger parts = new AtomicInteger(1);
  private final AtomicBoolean closed = new AtomicBoolean();
  private final ClientConnection connection;
  private final long fileBytes;
  private final int copyBytes;
  private final RequestMemory requestMemory;
  private final Consumer<List<LogPiece>> onClose;
  private final LongSupplier nanoTime;
  private final long startedNanos;
  // Time until the last part was done; written before the answer completes.
  private volatile long readyNanos;
  // Budget that takenBytes were taken from, or null. Guarded by this.
  private ReadBudget budget;
  private long takenBytes;
  private long leftBytes;

  /**
   * @param connection connection that sent the fetch
   * @param found pieces of the fetch; the constructor takes ownership
   * @param requestMemory counts the heap of the fetch until it is closed
   * @param onClose receives the pieces sent from files, before their references are released
   * @param nanoTime monotonic clock, for the time until the bytes in files are ready
   */
  FileFetch(
      ClientConnection connection,
      long epoch,
      List<LogPiece> found,
      RequestMemory requestMemory,
      Consumer<List<LogPiece>> onClose,
      LongSupplier nanoTime) {
    this.onClose = onClose;
    this.nanoTime = nanoTime;
    this.startedNanos = nanoTime.getAsLong();
    this.connection = connection;
    this.requestMemory = requestMemory;
    this.found = found;
    this.pieces = new Piece[found.size()];
    int bytes = 0;
    long memoryBytes = 0;
    for (int i = 0; i < pieces.length; i++) {
      LogPiece piece = found.get(i);
      bytes += piece.length();
      if (piece instanceof LogPiece.InMemory memory) {
        memoryBytes += piece.length();
        pieces[i] = new MemoryPiece(memory.buffer());
      }
    }
    this.length = bytes;
    this.epoch = epoch;
    this.fromMemory = memoryBytes;
    this.fileBytes = bytes - memoryBytes;
    this.copyBytes = Math.min(bytes, connection.copyBytes());
    requestMemory.reserve(connection.application(), heapBytes());
  }

  private long heapBytes() {
    return FETCH_HEAP_BYTES + (long) PIECE_HEAP_BYTES * pieces.length;
  }

  CompletableFuture<FetchedBytes> answer() {
    return answer;
  }

  /** Whether the result is complete: the fetch failed or was cancelled. */
  boolean isAnswered() {
    return answer.isDone();
  }

  ClientConnection connection() {
    return connection;
  }

  /**
   * Takes the needed bytes from a budget, once for all parts: the bytes in files, and the maximum
   * bytes copied at a time.
   *
   * @param waiter called when a retry is possible, if this fails
   */
  synchronized boolean takeBudget(ReadBudget from, Runnable waiter) {
    long needed = fileBytes + copyBytes;
    if (needed > 0 && budget == null && from.tryTake(connection, needed, waiter)) {
      budget = from;
      takenBytes = needed;
    }
    return needed == 0 || budget != null;
  }

  /** Whether all bytes are in memory and are sent without copying. */
  boolean needsNoBudget() {
    return fileBytes + copyBytes == 0;
  }

  int pieceCount() {
    return pieces.length;
  }

  /** Returns a piece if it is in a file, otherwise null. */
  LogPiece.InFile inFile(int index) {
    return found.get(index) instanceof LogPiece.InFile file ? file : null;
  }

  static ReadableRun run(LogPiece.InFile piece) {
    return (ReadableRun) piece.run();
  }

  /** Sets a piece that is sent directly from its file. */
  void ready(int index, FilePiece piece) {
    pieces[index] = piece;
  }

  /**
   * Sets a piece that was read from its file.
   *
   * @param bytes this method takes ownership
   */
  void ready(int index, ByteBuf bytes) {
    pieces[index] = new MemoryPiece(bytes);
  }

  /** Adds a part, for which {@link #partDone} must be called once. */
  void addPart() {
    parts.incrementAndGet();
  }

  void refuse(SluiceException refusal) {
    answer.completeExceptionally(refusal);
  }

  /**
   * Ends a part, successful or not. After the last part, the fetch completes unless it already
   * failed.
   */
  void partDone() {
    if (parts.decrementAndGet() > 0) {
      return;
    }
    readyNanos = nanoTime.getAsLong() - startedNanos;
    if (!answer.complete(this)) {
      close();
    }
  }

  @Override
  public FetchReply head() {
    return FetchReply.newBuilder()
        .setEpoch(epoch)
        .setFromMemory(fromMemory)
        .setFileMicros(fileBytes == 0 ? 0 : TimeUnit.NANOSECONDS.toMicros(readyNanos))
        .build();
  }

  @Override
  public int length() {
    return length;
  }

  @Override
  public List<Piece> pieces() {
    return Arrays.asList(pieces);
  }

  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    List<ByteBuf> read = new ArrayList<>();
    List<LogPiece> sent = new ArrayList<>();
    for (int i = 0; i < pieces.length; i++) {
      if (inFile(i) != null && pieces[i] instanceof MemoryPiece own) {
        read.add(own.buffer());
      } else if (pieces[i] instanceof FilePiece) {
        sent.add(found.get(i));
      }
    }
    read.forEach(ByteBuf::release);
    if (!sent.isEmpty()) {
      onClose.accept(sent);
    }
    found.forEach(LogPiece::release);
    releaseBudget(0);
    requestMemory.release(connection.application(), heapBytes());
  }

  @Override
  public void sent(int bytes) {
    boolean enough;
    synchronized (this) {
      leftBytes += bytes;
      enough = takenBytes - neededBytes() >= RELEASE_BYTES;
    }
    if (enough) {
      releaseBudget(neededBytes());
    }
  }

  /**
   * Upper bound of the budget for unsent bytes: all of them may be from files and may be copied.
   */
  private synchronized long neededBytes() {
    long rest = length - leftBytes;
    return Math.min(fileBytes, rest) + Math.min(copyBytes, rest);
  }

  private void releaseBudget(long keptBytes) {
    ReadBudget from;
    long bytes;
    synchronized (this) {
      from = budget;
      bytes = takenBytes - keptBytes;
      takenBytes = Math.min(takenBytes, keptBytes);
      budget = takenBytes == 0 ? null : budget;
    }
    if (from != null && bytes > 0) {
      from.release(connection, bytes);
    }
  }
}
