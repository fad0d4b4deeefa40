package io.sluice.transport.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Splits the bytes of a connection into frames. At any time it stores at most one head, one body in
 * memory provided by its {@link ChannelFrameSink}, and a few unread kilobytes. Confined to the
 * event loop of its channel.
 *
 * <p><b>Receiving without a copy.</b> Netty requests a buffer from a channel's receive allocator
 * before each read. While a body is being received, {@link #allocator} returns a slice of the
 * body's memory, so that the kernel writes directly into it. Otherwise it returns small pooled
 * buffers: the part of a body in such a buffer (at most {@link #SMALL_READ_LENGTH} bytes) is
 * copied, and a paused connection buffers no more than that.
 *
 * <p><b>States.</b>
 *
 * <pre>
 *  HEADER -> AWAITING_HEAD_MEMORY              onHeader returned false
 *         -> HEAD -> HEADER                    a frame without a body
 *                 -> AWAITING_BODY_MEMORY      onHead returned without a decision
 *                 -> BODY | DISCARD -> HEADER
 *  any    -> ENDED                             malformed bytes, or the channel closed
 * </pre>
 *
 * The socket is read in HEADER and HEAD unless {@link #paused paused}. It is always read in BODY
 * and DISCARD, so that allocated memory is filled, and never in AWAITING_HEAD_MEMORY and
 * AWAITING_BODY_MEMORY. In ENDED it is read to detect its end, and the bytes are dropped.
 */
public final class FrameReceiver extends ChannelInboundHandlerAdapter implements FrameSource {
  /**
   * Size of reads for headers: large enough for several small frames in one read, small enough that
   * thousands of paused connections buffer only a few megabytes.
   */
  public static final int SMALL_READ_LENGTH = 8 << 10;

  /** Size of reads whose bytes are dropped. */
  private static final int DISCARD_READ_LENGTH = 64 << 10;

  /** A shorter rest of a body is read together with the next header instead of separately. */
  private static final int MIN_DIRECT_LENGTH = 2 << 10;

  private enum State {
    HEADER,
    AWAITING_HEAD_MEMORY,
    HEAD,
    AWAITING_BODY_MEMORY,
    BODY,
    DISCARD,
    ENDED
  }

  private final ChannelFrameSink sink;
  private final Deque<ByteBuf> unread = new ArrayDeque<>();

  private FrameLimits limits;
  private ChannelHandlerContext context;
  private State state = State.HEADER;
  private boolean paused;
  private boolean working;
  private boolean sinkClosed;
  private ByteBuf frame;
  private FrameHeader header;
  private ByteBuf body;
  private int discardRemaining;
  private ByteBuf readTarget;
  private long receivedBytes;
  private long receivedFrames;

  /**
   * @param limits initial frame limits, until {@link #limits} changes them
   */
  public FrameReceiver(FrameLimits limits, ChannelFrameSink sink) {
    this.limits = limits;
    this.sink = sink;
  }

  /** The receive allocator for the channel. A receiver is used for one channel only. */
  public RecvByteBufAllocator allocator() {
    return new BodyFirstAllocator();
  }

  @Override
  public void limits(FrameLimits limits) {
    this.limits = limits;
  }

  @Override
  public long receivedBytes() {
    return receivedBytes;
  }

  @Override
  public long receivedFrames() {
    return receivedFrames;
  }

  @Override
  public boolean receivingBody() {
    return state == State.BODY || state == State.DISCARD;
  }

  @Override
  public boolean receivingHead() {
    boolean begun = state == State.HEAD || (state == State.HEADER && frame != null);
    return begun && !paused;
  }

  @Override
  public void paused(boolean wanted) {
    if (paused == wanted) {
      return;
    }
    paused = wanted;
    if (!paused) {
      work();
    }
    updateAutoRead();
  }

  @Override
  public void receiveHead() {
    if (state == State.AWAITING_HEAD_MEMORY) {
      state = State.HEAD;
      work();
      updateAutoRead();
    }
  }

  @Override
  public void receiveBody(ByteBuf target) {
    if (state != State.AWAITING_BODY_MEMORY) {
      target.release();
      if (state == State.ENDED) {
        return;
      }
      throw new IllegalStateException("not waiting for body memory, state=" + state);
    }
    if (target.writableBytes() != header.bodyLength()) {
      int writable = target.writableBytes();
      target.release();
      throw new IllegalArgumentException(
          "target has " + writable + " writable bytes, body has " + header.bodyLength());
    }
    body = target;
    state = State.BODY;
    work();
    updateAutoRead();
  }

  @Override
  public void discardBody() {
    if (state == State.ENDED) {
      return;
    }
    if (state != State.AWAITING_BODY_MEMORY) {
      throw new IllegalStateException("not waiting for body memory, state=" + state);
    }
    discardRemaining = header.bodyLength();
    state = State.DISCARD;
    work();
    updateAutoRead();
  }

  @Override
  public void end() {
    state = State.ENDED;
    releaseAll();
    updateAutoRead();
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    finish(null);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // Compares identity with the target buffer.
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    receivedBytes += bytes.readableBytes();
    if (bytes == readTarget) {
      readTarget = null;
      int length = bytes.readableBytes();
      bytes.release();
      if (state == State.BODY) {
        body.writerIndex(body.writerIndex() + length);
        work();
      }
    } else if (state == State.ENDED) {
      bytes.release();
    } else {
      unread.add(bytes);
      work();
    }
    updateAutoRead();
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    sink.onReadComplete();
    // With auto-read, the channel reads again without a call.
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    finish(null);
  }

  @Override
  @SuppressWarnings("FutureReturnValueIgnored") // A failed close needs no action.
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    finish(cause);
    ctx.close();
  }

  private void finish(Throwable causeOrNull) {
    state = State.ENDED;
    releaseAll();
    if (!sinkClosed) {
      sinkClosed = true;
      sink.onClosed(causeOrNull);
    }
  }

  private void releaseAll() {
    // The channel releases the target slice, which keeps its memory until then.
    readTarget = null;
    for (ByteBuf bytes = unread.poll(); bytes != null; bytes = unread.poll()) {
      bytes.release();
    }
    if (frame != null) {
      frame.release();
      frame = null;
    }
    if (body != null) {
      body.release();
      body = null;
    }
  }

  /**
   * Consumes unread bytes as far as the state allows. Guarded against re-entry, because the sink
   * calls back.
   */
  private void work() {
    if (working) {
      return;
    }
    working = true;
    try {
      boolean progress = true;
      while (progress) {
        progress = step();
      }
    } finally {
      working = false;
    }
  }

  private boolean step() {
    return switch (state) {
      case HEADER -> !paused && (collect(FrameHeader.LENGTH) && headerComplete());
      case HEAD -> collect(FrameHeader.LENGTH + header.headLength()) && headComplete();
      case BODY -> fillBody();
      case DISCARD -> discard();
      case AWAITING_HEAD_MEMORY, AWAITING_BODY_MEMORY, ENDED -> false;
    };
  }

  /** Appends unread bytes to {@code frame}; returns whether it has {@code length} bytes. */
  private boolean collect(int length) {
    while (true) {
      int missing = length - (frame == null ? 0 : frame.readableBytes());
      if (missing <= 0) {
        return true;
      }
      ByteBuf bytes = unread.peek();
      if (bytes == null) {
        return false;
      }
      if (frame == null) {
        frame = context.alloc().buffer(Math.max(length, 256));
      }
      int part = Math.min(missing, bytes.readableBytes());
      // Grows with the received bytes, not to the length in the header.
      frame.writeBytes(bytes, part);
      dropIfRead(bytes);
    }
  }

  private void dropIfRead(ByteBuf bytes) {
    if (!bytes.isReadable()) {
      unread.remove();
      bytes.release();
    }
  }

  private boolean headerComplete() {
    try {
      header = FrameHeader.read(frame, 0, limits);
    } catch (FrameFormatException e) {
      malformed(e);
      return false;
    }
    state = State.AWAITING_HEAD_MEMORY;
    if (sink.onHeader(header)) {
      receiveHead();
    }
    return state == State.HEAD;
  }

  private boolean headComplete() {
    try {
      header.verifyHead(frame, 0);
    } catch (FrameFormatException e) {
      malformed(e);
      return false;
    }
    ByteBuf head = frame;
    frame = null;
    state = header.bodyLength() > 0 ? State.AWAITING_BODY_MEMORY : State.HEADER;
    receivedFrames += header.bodyLength() > 0 ? 0 : 1;
    try {
      sink.onHead(header, head);
    } finally {
      head.release();
    }
    return true;
  }

  private void malformed(FrameFormatException problem) {
    long requestId = MessageReceiver.requestIdFor(problem, frame);
    end();
    sink.onMalformed(requestId, problem);
  }

  private boolean fillBody() {
    while (body.isWritable()) {
      ByteBuf bytes = unread.peek();
      if (bytes == null) {
        return false;
      }
      body.writeBytes(bytes, Math.min(body.writableBytes(), bytes.readableBytes()));
      dropIfRead(bytes);
    }
    ByteBuf whole = body;
    body = null;
    state = State.HEADER;
    receivedFrames++;
    sink.onBody(header, whole);
    return true;
  }

  private boolean discard() {
    while (discardRemaining > 0) {
      ByteBuf bytes = unread.peek();
      if (bytes == null) {
        return false;
      }
      int part = Math.min(discardRemaining, bytes.readableBytes());
      bytes.skipBytes(part);
      discardRemaining -= part;
      dropIfRead(bytes);
    }
    state = State.HEADER;
    receivedFrames++;
    return true;
  }

  private void updateAutoRead() {
    if (context == null) {
      return;
    }
    boolean read =
        switch (state) {
          case HEADER, HEAD -> !paused;
          case BODY, DISCARD, ENDED -> true;
          case AWAITING_HEAD_MEMORY, AWAITING_BODY_MEMORY -> false;
        };
    if (context.channel().config().isAutoRead() != read) {
      context.channel().config().setAutoRead(read);
    }
  }

  /** The next contiguous writable part of the body, or null. The caller owns the buffer. */
  private ByteBuf bodyTarget() {
    if (state != State.BODY || !unread.isEmpty()) {
      return null;
    }
    int at = body.writerIndex();
    int length = body.capacity() - at;
    if (length < MIN_DIRECT_LENGTH) {
      return null;
    }
    ByteBuf piece = body;
    if (body instanceof CompositeByteBuf composite) {
      int component = composite.toComponentIndex(at);
      int start = composite.toByteIndex(component);
      piece = composite.component(component);
      length = start + piece.capacity() - at;
      at -= start;
    } else if (body.nioBufferCount() != 1) {
      return null;
    }
    return piece.retainedSlice(at, length).clear();
  }

  private final class BodyFirstAllocator extends DefaultMaxMessagesRecvByteBufAllocator {
    @Override
    public MaxMessageHandle newHandle() {
      return new MaxMessageHandle() {
        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
          // There is one read at a time, so an earlier unfilled target is no longer used.
          readTarget = bodyTarget();
          return readTarget != null ? readTarget : allocator.ioBuffer(guess());
        }

        @Override
        public int guess() {
          return state == State.DISCARD ? DISCARD_READ_LENGTH : SMALL_READ_LENGTH;
        }
      };
    }
  }
}
