package io.sluice.transport.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultFileRegion;
import io.sluice.transport.server.FetchedBytes.FilePiece;
import io.sluice.transport.server.FetchedBytes.MemoryPiece;
import io.sluice.transport.server.FetchedBytes.Piece;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The replies of one connection that have not left the process, in order. The connection hands
 * their bytes over to its channel, as they lie or copied, and reports how many have {@link #left}:
 * only then are a reply's budgets given back. Owned by the connection's executor.
 */
final class ReplyQueue implements AutoCloseable {
  /**
   * Maximum number of bytes that a copying connection hands over and that have not left: two parts,
   * so that one is sent while the next one is made.
   */
  static final int COPY_BYTES = 256 << 10;

  /** Maximum length of a part that is copied. */
  static final int PART_BYTES = COPY_BYTES / 2;

  /** Bytes sent as they lie after which the connection reports that they have left. */
  private static final int STRETCH_BYTES = 1 << 20;

  /**
   * Requests wait while more than the high mark has not left. Two fetched slices of the usual size
   * keep a socket busy while the client asks for the next.
   */
  private static final int HIGH_BYTES = 4 << 20;

  private static final int LOW_BYTES = 2 << 20;

  /** The same of heads that no budget counts: some hundred acknowledgements. */
  private static final int HIGH_HEAD_BYTES = 64 << 10;

  private static final int LOW_HEAD_BYTES = 32 << 10;

  /** Heap of a reply, however short it is. */
  private static final int LEAST_HEAD_BYTES = 256;

  // Not handed over to their end, and not left to their end. The first are the tail of the second.
  private final Deque<Reply> waiting = new ArrayDeque<>();
  private final Deque<Reply> unsent = new ArrayDeque<>();

  private long unsentBytes;
  private long handedOverBytes;
  private long uncountedBytes;
  private int countedReplies;
  private long sentReplies;
  private boolean full;

  /** A reply, handed over up to the byte {@code at} of {@code piece}. */
  private static final class Reply {
    // Null once it has been handed over.
    ByteBuf headerAndHead;
    final int headLength;
    final int uncountedBytes;
    final FetchedBytes body;
    final List<Piece> pieces;

    /** Null: nothing is told. */
    final Runnable onLeft;

    final long length;
    long left;
    int piece;
    int at;

    Reply(ByteBuf headerAndHead, FetchedBytes body, Runnable onLeft) {
      this.headerAndHead = headerAndHead;
      this.headLength = headerAndHead.readableBytes();
      this.uncountedBytes = onLeft == null ? Math.max(headLength, LEAST_HEAD_BYTES) : 0;
      this.body = body;
      this.pieces = body == null ? List.of() : body.pieces();
      this.onLeft = onLeft;
      this.length = headLength + (body == null ? 0L : body.length());
    }

    boolean isHandedOver() {
      return headerAndHead == null && piece == pieces.size();
    }

    boolean isCounted() {
      return body != null || onLeft != null;
    }

    long bodyLeft() {
      return Math.max(0, left - headLength);
    }

    void close() {
      if (headerAndHead != null) {
        headerAndHead.release();
        headerAndHead = null;
      }
      if (body != null) {
        body.close();
      }
      if (onLeft != null) {
        onLeft.run();
      }
    }
  }

  /**
   * Adds a reply without a body that no budget counts.
   *
   * @param headerAndHead takes
   */
  void add(ByteBuf headerAndHead) {
    add(new Reply(headerAndHead, null, null));
  }

  /**
   * Adds a reply without a body.
   *
   * @param headerAndHead takes
   * @param onLeft runs once, when all its bytes have left or were given up
   */
  void add(ByteBuf headerAndHead, Runnable onLeft) {
    add(new Reply(headerAndHead, null, onLeft));
  }

  /**
   * Adds a reply with a body.
   *
   * @param headerAndHead takes
   * @param body takes
   */
  void add(ByteBuf headerAndHead, FetchedBytes body) {
    add(new Reply(headerAndHead, body, null));
  }

  private void add(Reply reply) {
    waiting.add(reply);
    unsent.add(reply);
    unsentBytes += reply.length;
    uncountedBytes += reply.uncountedBytes;
    countedReplies += reply.isCounted() ? 1 : 0;
    updateFull();
  }

  /** Whether no reply is on its way. */
  boolean isEmpty() {
    return unsent.isEmpty();
  }

  /** Whether there is something to hand over. */
  boolean hasNext() {
    return !waiting.isEmpty();
  }

  /** Bytes that were handed over and have not left. */
  long handedOverBytes() {
    return handedOverBytes;
  }

  /** Whether any of the replies that have not left is counted in a budget. */
  boolean hasCounted() {
    return countedReplies > 0;
  }

  /** Replies that have left as a whole so far. */
  long sentReplies() {
    return sentReplies;
  }

  /** Whether there is room for further replies. */
  boolean isWritable() {
    return !full;
  }

  private void updateFull() {
    full =
        full
            ? unsentBytes > LOW_BYTES || uncountedBytes > LOW_HEAD_BYTES
            : unsentBytes > HIGH_BYTES || uncountedBytes > HIGH_HEAD_BYTES;
  }

  /**
   * Hands over the next stretch as it lies: of one reply, {@value #STRETCH_BYTES} bytes or the
   * rest.
   *
   * @param messages where buffers and file regions are added, for the channel to release
   * @return bytes in them
   */
  int next(List<Object> messages) {
    Reply reply = waiting.peek();
    int bytes = 0;
    if (reply.headerAndHead != null) {
      bytes += reply.headLength;
      messages.add(reply.headerAndHead);
      reply.headerAndHead = null;
    }
    while (!reply.isHandedOver() && bytes < STRETCH_BYTES) {
      Piece piece = reply.pieces.get(reply.piece);
      int length = Math.min(piece.length() - reply.at, STRETCH_BYTES);
      if (piece instanceof MemoryPiece memory) {
        messages.add(slice(memory, reply.at, length));
      } else {
        FilePiece file = (FilePiece) piece;
        messages.add(new SharedFileRegion(file.channel(), file.position() + reply.at, length));
      }
      advance(reply, length);
      bytes += length;
    }
    handedOver(reply, bytes);
    return bytes;
  }

  /**
   * Hands over the next part of a head or of a body in memory: at most {@link #PART_BYTES}, as it
   * lies where that is long enough, else copied. Returns owned.
   *
   * @param leastBytes length from which bytes in memory are handed over as they lie
   */
  ByteBuf next(ByteBufAllocator allocator, int leastBytes) throws IOException {
    Reply reply = waiting.peek();
    ByteBuf part =
        reply.headerAndHead != null ? nextOfHead(reply) : nextOfBody(reply, allocator, leastBytes);
    handedOver(reply, part.readableBytes());
    return part;
  }

  private void handedOver(Reply reply, int bytes) {
    handedOverBytes += bytes;
    if (reply.isHandedOver()) {
      waiting.remove();
    }
  }

  private static ByteBuf nextOfHead(Reply reply) {
    ByteBuf head = reply.headerAndHead;
    if (head.readableBytes() > PART_BYTES) {
      return head.readRetainedSlice(PART_BYTES);
    }
    reply.headerAndHead = null;
    return head;
  }

  private static ByteBuf nextOfBody(Reply reply, ByteBufAllocator allocator, int leastBytes)
      throws IOException {
    Piece first = reply.pieces.get(reply.piece);
    int inFirst = Math.min(first.length() - reply.at, PART_BYTES);
    int length = Math.min(rest(reply), PART_BYTES);
    if (first instanceof MemoryPiece memory && inFirst >= Math.min(leastBytes, length)) {
      ByteBuf part = slice(memory, reply.at, inFirst);
      advance(reply, inFirst);
      return part;
    }
    ByteBuf part = allocator.directBuffer(length, length);
    boolean whole = false;
    try {
      while (part.isWritable()) {
        Piece piece = reply.pieces.get(reply.piece);
        int fromPiece = Math.min(part.writableBytes(), piece.length() - reply.at);
        append(part, piece, reply.at, fromPiece);
        advance(reply, fromPiece);
      }
      whole = true;
      return part;
    } finally {
      if (!whole) {
        part.release();
      }
    }
  }

  /** Bytes of a body that have not been handed over, as far as they matter for the next part. */
  private static int rest(Reply reply) {
    int rest = -reply.at;
    for (int i = reply.piece; i < reply.pieces.size() && rest < PART_BYTES; i++) {
      rest += reply.pieces.get(i).length();
    }
    return rest;
  }

  private static void advance(Reply reply, int length) {
    reply.at += length;
    if (reply.at == reply.pieces.get(reply.piece).length()) {
      reply.piece++;
      reply.at = 0;
    }
  }

  private static ByteBuf slice(MemoryPiece memory, int at, int length) {
    ByteBuf buffer = memory.buffer();
    return buffer.retainedSlice(buffer.readerIndex() + at, length);
  }

  private static void append(ByteBuf part, Piece piece, int at, int length) throws IOException {
    if (piece instanceof MemoryPiece memory) {
      part.writeBytes(memory.buffer(), memory.buffer().readerIndex() + at, length);
      return;
    }
    FilePiece file = (FilePiece) piece;
    int left = length;
    while (left > 0) {
      long position = file.position() + at + (length - left);
      int read = part.writeBytes(file.channel(), position, left);
      if (read <= 0) {
        throw new EOFException("file ends at " + position + ", expected " + left + " bytes more");
      }
      left -= read;
    }
  }

  /** So many more of the bytes that were handed over have left the process. */
  void left(long bytes) {
    handedOverBytes -= bytes;
    unsentBytes -= bytes;
    long rest = bytes;
    while (rest > 0) {
      Reply reply = unsent.peek();
      long part = Math.min(rest, reply.length - reply.left);
      long before = reply.bodyLeft();
      reply.left += part;
      rest -= part;
      if (reply.left == reply.length) {
        unsent.remove();
        uncountedBytes -= reply.uncountedBytes;
        countedReplies -= reply.isCounted() ? 1 : 0;
        sentReplies++;
        reply.close();
      } else if (reply.bodyLeft() > before) {
        reply.body.left((int) (reply.bodyLeft() - before));
      }
    }
    updateFull();
  }

  /** Gives up all replies. Idempotent. */
  @Override
  public void close() {
    waiting.clear();
    for (Reply reply = unsent.poll(); reply != null; reply = unsent.poll()) {
      reply.close();
    }
    unsentBytes = 0;
    handedOverBytes = 0;
    uncountedBytes = 0;
    countedReplies = 0;
    full = false;
  }

  /** A file region whose file belongs to others: its last release does not close the channel. */
  private static final class SharedFileRegion extends DefaultFileRegion {
    SharedFileRegion(FileChannel file, long position, long length) {
      super(file, position, length);
    }

    @Override
    protected void deallocate() {
      // FetchedBytes.close says when the file is no longer in use.
    }
  }
}
