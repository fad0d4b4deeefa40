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
 * Unsent replies of one connection, in order. The connection passes their bytes to its channel,
 * without or with a copy, and reports how many the socket has accepted ({@link #sent}). Only then
 * is a reply's memory released. Confined to the connection's executor.
 */
final class ReplyQueue implements AutoCloseable {
  /**
   * Maximum number of unsent bytes that a copying connection passes to its channel: two parts, so
   * that one is sent while the next one is prepared.
   */
  static final int COPY_BYTES = 256 << 10;

  /** Maximum length of a copied part. */
  static final int PART_BYTES = COPY_BYTES / 2;

  /**
   * Maximum number of bytes passed without a copy in one step; each step is reported as sent
   * separately.
   */
  private static final int STEP_BYTES = 1 << 20;

  /**
   * Requests wait while more unsent bytes than the high mark are queued, until the low mark is
   * reached. Two fetched slices of the usual size keep a socket busy while the client requests the
   * next one.
   */
  private static final int HIGH_BYTES = 4 << 20;

  private static final int LOW_BYTES = 2 << 20;

  /** High and low mark of heads that no memory budget counts: a few hundred acknowledgements. */
  private static final int HIGH_HEAD_BYTES = 64 << 10;

  private static final int LOW_HEAD_BYTES = 32 << 10;

  /** Minimum heap of a reply, independent of its length. */
  private static final int MIN_HEAD_BYTES = 256;

  // Replies not passed on completely, and replies not sent completely. The first are the tail of
  // the second.
  private final Deque<Reply> waiting = new ArrayDeque<>();
  private final Deque<Reply> unsent = new ArrayDeque<>();

  private long unsentBytes;
  private long handedOverBytes;
  private long uncountedBytes;
  private int countedReplies;
  private long sentReplies;
  private boolean full;

  /** A reply, passed to the channel up to byte {@code at} of {@code piece}. */
  private static final class Reply {
    // Null once it has been passed to the channel.
    ByteBuf headerAndHead;
    final int headLength;
    final int uncountedBytes;
    final FetchedBytes body;
    final List<Piece> pieces;

    /** Null: no callback. */
    final Runnable onSent;

    final long length;
    long sentBytes;
    int piece;
    int at;

    Reply(ByteBuf headerAndHead, FetchedBytes body, Runnable onSent) {
      this.headerAndHead = headerAndHead;
      this.headLength = headerAndHead.readableBytes();
      this.uncountedBytes = onSent == null ? Math.max(headLength, MIN_HEAD_BYTES) : 0;
      this.body = body;
      this.pieces = body == null ? List.of() : body.pieces();
      this.onSent = onSent;
      this.length = headLength + (body == null ? 0L : body.length());
    }

    boolean isHandedOver() {
      return headerAndHead == null && piece == pieces.size();
    }

    boolean isCounted() {
      return body != null || onSent != null;
    }

    long sentBodyBytes() {
      return Math.max(0, sentBytes - headLength);
    }

    void close() {
      if (headerAndHead != null) {
        headerAndHead.release();
        headerAndHead = null;
      }
      if (body != null) {
        body.close();
      }
      if (onSent != null) {
        onSent.run();
      }
    }
  }

  /**
   * Adds a reply without a body, which no memory budget counts.
   *
   * @param headerAndHead takes ownership
   */
  void add(ByteBuf headerAndHead) {
    add(new Reply(headerAndHead, null, null));
  }

  /**
   * Adds a reply without a body.
   *
   * @param headerAndHead takes ownership
   * @param onSent runs once, when all bytes of the reply are sent or discarded
   */
  void add(ByteBuf headerAndHead, Runnable onSent) {
    add(new Reply(headerAndHead, null, onSent));
  }

  /**
   * Adds a reply with a body.
   *
   * @param headerAndHead takes ownership
   * @param body takes ownership
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

  /** Whether there are no unsent replies. */
  boolean isEmpty() {
    return unsent.isEmpty();
  }

  /** Whether there are bytes to pass to the channel. */
  boolean hasNext() {
    return !waiting.isEmpty();
  }

  /** Bytes that were passed to the channel and are not sent yet. */
  long handedOverBytes() {
    return handedOverBytes;
  }

  /** Whether a memory budget counts any of the unsent replies. */
  boolean hasCounted() {
    return countedReplies > 0;
  }

  /** Number of completely sent replies. */
  long sentReplies() {
    return sentReplies;
  }

  /** Whether more replies may be queued. */
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
   * Passes on the next bytes of one reply without a copy: {@value #STEP_BYTES} bytes or the rest.
   *
   * @param messages receives buffers and file regions, which the channel releases
   * @return number of bytes
   */
  int next(List<Object> messages) {
    Reply reply = waiting.peek();
    int bytes = 0;
    if (reply.headerAndHead != null) {
      bytes += reply.headLength;
      messages.add(reply.headerAndHead);
      reply.headerAndHead = null;
    }
    while (!reply.isHandedOver() && bytes < STEP_BYTES) {
      Piece piece = reply.pieces.get(reply.piece);
      int length = Math.min(piece.length() - reply.at, STEP_BYTES);
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
   * Passes on the next part of a head or body as a buffer of at most {@link #PART_BYTES}: a slice
   * if that is long enough, else a copy. The caller owns the buffer.
   *
   * @param minSliceBytes minimum length of a slice that is passed on without a copy
   */
  ByteBuf next(ByteBufAllocator allocator, int minSliceBytes) throws IOException {
    Reply reply = waiting.peek();
    ByteBuf part =
        reply.headerAndHead != null
            ? nextOfHead(reply)
            : nextOfBody(reply, allocator, minSliceBytes);
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

  private static ByteBuf nextOfBody(Reply reply, ByteBufAllocator allocator, int minSliceBytes)
      throws IOException {
    Piece first = reply.pieces.get(reply.piece);
    int inFirst = Math.min(first.length() - reply.at, PART_BYTES);
    int length = Math.min(rest(reply), PART_BYTES);
    if (first instanceof MemoryPiece memory && inFirst >= Math.min(minSliceBytes, length)) {
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

  /** Remaining bytes of a body, counted only as far as needed for the next part. */
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
        throw new EOFException(
            "file ends at offset " + position + ", expected " + left + " more bytes");
      }
      left -= read;
    }
  }

  /** {@code bytes} more of the bytes passed to the channel were accepted by the socket. */
  void sent(long bytes) {
    handedOverBytes -= bytes;
    unsentBytes -= bytes;
    long rest = bytes;
    while (rest > 0) {
      Reply reply = unsent.peek();
      long part = Math.min(rest, reply.length - reply.sentBytes);
      long before = reply.sentBodyBytes();
      reply.sentBytes += part;
      rest -= part;
      if (reply.sentBytes == reply.length) {
        unsent.remove();
        uncountedBytes -= reply.uncountedBytes;
        countedReplies -= reply.isCounted() ? 1 : 0;
        sentReplies++;
        reply.close();
      } else if (reply.sentBodyBytes() > before) {
        reply.body.sent((int) (reply.sentBodyBytes() - before));
      }
    }
    updateFull();
  }

  /** Discards all replies. Idempotent. */
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

  /** A file region of a shared file: its last release does not close the channel. */
  private static final class SharedFileRegion extends DefaultFileRegion {
    SharedFileRegion(FileChannel file, long position, long length) {
      super(file, position, length);
    }

    @Override
    protected void deallocate() {
      // FetchedBytes.close reports that the file is no longer in use.
    }
  }
}
