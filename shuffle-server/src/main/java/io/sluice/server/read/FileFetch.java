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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * One fetch: where its bytes were found, and which of them are ready to be sent. It is answered
 * once, with itself or a refusal; what it holds is given back when it is closed by who got it, or
 * when it was answered otherwise and the last of its parts is over, so that no file is closed under
 * a thread that reads it.
 *
 * <p>Thread-safe: each part's pieces are written by one thread, before {@link #partOver}.
 */
final class FileFetch implements FetchedBytes {
  /** The budget is told of bytes that have left when there are so many, not for every write. */
  private static final int GIVE_BYTES = 512 << 10;

  /** Heap of a fetch, and of each of its pieces with its buffer or reference to a run. */
  private static final int FETCH_HEAP_BYTES = 512;

  private static final int PIECE_HEAP_BYTES = 200;

  private final FetchReply head;
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
  // Where its bytes were taken from, or null. Guarded by this.
  private ReadBudget budget;
  private long takenBytes;
  private long leftBytes;

  /**
   * @param connection that asks
   * @param found takes
   * @param requestMemory where the fetch is counted until it is closed
   * @param onClose told of what was sent from files, before that is given back
   */
  FileFetch(
      ClientConnection connection,
      long epoch,
      List<LogPiece> found,
      RequestMemory requestMemory,
      Consumer<List<LogPiece>> onClose) {
    this.onClose = onClose;
    this.connection = connection;
    this.requestMemory = requestMemory;
    this.found = found;
    this.pieces = new Piece[found.size()];
    int bytes = 0;
    long fromMemory = 0;
    for (int i = 0; i < pieces.length; i++) {
      LogPiece piece = found.get(i);
      bytes += piece.length();
      if (piece instanceof LogPiece.InMemory memory) {
        fromMemory += piece.length();
        pieces[i] = new MemoryPiece(memory.buffer());
      }
    }
    this.length = bytes;
    this.fileBytes = bytes - fromMemory;
    this.copyBytes = Math.min(bytes, connection.copyBytes());
    this.head = FetchReply.newBuilder().setEpoch(epoch).setFromMemory(fromMemory).build();
    requestMemory.take(connection.application(), heapBytes());
  }

  private long heapBytes() {
    return FETCH_HEAP_BYTES + (long) PIECE_HEAP_BYTES * pieces.length;
  }

  CompletableFuture<FetchedBytes> answer() {
    return answer;
  }

  /** Whether nobody waits for the rest: it was refused, or given up by who asked. */
  boolean isAnswered() {
    return answer.isDone();
  }

  ClientConnection connection() {
    return connection;
  }

  /**
   * Takes what it needs of a budget, once for all its parts: its bytes of files, and what is copied
   * of it at a time.
   *
   * @param waiter told when to try again if this fails
   */
  synchronized boolean takeBudget(ReadBudget from, Runnable waiter) {
    long needed = fileBytes + copyBytes;
    if (needed > 0 && budget == null && from.tryTake(connection, needed, waiter)) {
      budget = from;
      takenBytes = needed;
    }
    return needed == 0 || budget != null;
  }

  /** Whether all its bytes lie in memory and are sent from there. */
  boolean needsNoBudget() {
    return fileBytes + copyBytes == 0;
  }

  int pieceCount() {
    return pieces.length;
  }

  /** A piece that lies in a file, or null. */
  LogPiece.InFile inFile(int index) {
    return found.get(index) instanceof LogPiece.InFile file ? file : null;
  }

  static ReadableRun run(LogPiece.InFile piece) {
    return (ReadableRun) piece.run();
  }

  /** A file's piece can be sent as it lies there. */
  void ready(int index, FilePiece piece) {
    pieces[index] = piece;
  }

  /**
   * A file's piece has been read.
   *
   * @param bytes takes
   */
  void ready(int index, ByteBuf bytes) {
    pieces[index] = new MemoryPiece(bytes);
  }

  /** One more part will be over. */
  void addPart() {
    parts.incrementAndGet();
  }

  void refuse(SluiceException refusal) {
    answer.completeExceptionally(refusal);
  }

  /** A part has ended, well or not; after the last one it is answered, if it is not yet. */
  void partOver() {
    if (parts.decrementAndGet() > 0) {
      return;
    }
    if (!answer.complete(this)) {
      close();
    }
  }

  @Override
  public FetchReply head() {
    return head;
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
    giveBack(0);
    requestMemory.give(connection.application(), heapBytes());
  }

  @Override
  public void left(int bytes) {
    boolean enough;
    synchronized (this) {
      leftBytes += bytes;
      enough = takenBytes - neededBytes() >= GIVE_BYTES;
    }
    if (enough) {
      giveBack(neededBytes());
    }
  }

  /** What is left may all be of files, and be copied. */
  private synchronized long neededBytes() {
    long rest = length - leftBytes;
    return Math.min(fileBytes, rest) + Math.min(copyBytes, rest);
  }

  private void giveBack(long allBut) {
    ReadBudget from;
    long bytes;
    synchronized (this) {
      from = budget;
      bytes = takenBytes - allBut;
      takenBytes = Math.min(takenBytes, allBut);
      budget = takenBytes == 0 ? null : budget;
    }
    if (from != null && bytes > 0) {
      from.give(connection, bytes);
    }
  }
}
