package io.sluice.server.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.socket.SocketChannel;
import io.sluice.common.frame.FrameFormatException;
import io.sluice.common.frame.FrameHeader;
import io.sluice.common.frame.FrameLimits;
import io.sluice.common.net.ChannelFrameSink;
import io.sluice.common.net.FrameReceiver;
import io.sluice.server.service.DataService;
import io.sluice.server.service.FetchedBytes;
import io.sluice.server.service.FetchedBytes.FilePiece;
import io.sluice.server.service.FetchedBytes.MemoryPiece;
import io.sluice.server.service.FetchedBytes.Piece;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.FileChannel;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Frames over one TCP connection. Belongs to the channel's event loop. */
@SuppressWarnings("FutureReturnValueIgnored") // A failed write or close reaches onClosed.
final class NettyCarrier implements Carrier, ChannelFrameSink {
  private static final Logger LOG = LoggerFactory.getLogger(NettyCarrier.class);

  /** Of a file at a time, where its bytes have to be encrypted. */
  private static final int COPY_LENGTH = 256 << 10;

  private final SocketChannel channel;
  private final SocketAddress peer;
  private final boolean encrypted;
  private final TransportCounters counters;
  private final LongSupplier nanoTime;
  private final ServerConnection connection;
  private final FrameReceiver receiver;
  private final SilenceWatch silence;

  private Future<?> silenceCheck;
  private boolean closed;

  /**
   * @param peer for which the connection has a place
   */
  NettyCarrier(
      SocketChannel channel,
      SocketAddress peer,
      DataService service,
      DataTransportConfig config,
      boolean encrypted,
      TransportCounters counters,
      LongSupplier nanoTime) {
    this.channel = channel;
    this.peer = peer;
    this.encrypted = encrypted;
    this.counters = counters;
    this.nanoTime = nanoTime;
    this.connection = new ServerConnection(service, config, counters, this);
    this.receiver = new FrameReceiver(ServerConnection.HELLO_LIMITS, this);
    this.silence = new SilenceWatch(config, nanoTime.getAsLong());
  }

  FrameReceiver receiver() {
    return receiver;
  }

  /** Begins to look for silence. Called on the event loop. */
  void start() {
    long everyMs = silence.intervalMs();
    silenceCheck =
        channel
            .eventLoop()
            .scheduleWithFixedDelay(this::checkSilence, everyMs, everyMs, TimeUnit.MILLISECONDS);
  }

  private void checkSilence() {
    String overdue =
        silence.overdue(
            nanoTime.getAsLong(),
            new SilenceWatch.Look(
                connection.greeted(),
                receiver.receivedBytes(),
                receiver.receivingHead(),
                receiver.receivingBody(),
                sendProgress()));
    if (overdue != null) {
      connection.onTimeout(overdue);
      channel.close();
    }
  }

  /** A number that changes whenever bytes go out; 0 when none are due. */
  private long sendProgress() {
    ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
    if (buffer == null || buffer.isEmpty()) {
      return 0;
    }
    return 31 * buffer.totalPendingWriteBytes()
        + 17 * buffer.currentProgress()
        + System.identityHashCode(buffer.current());
  }

  // What the connection asks for.

  @Override
  public ByteBufAllocator allocator() {
    return channel.alloc();
  }

  @Override
  public String peer() {
    return String.valueOf(channel.remoteAddress());
  }

  @Override
  public void execute(Runnable task, Runnable otherwise) {
    try {
      channel
          .eventLoop()
          .execute(
              () -> {
                if (closed) {
                  otherwise.run();
                  return;
                }
                task.run();
                channel.flush();
              });
    } catch (RejectedExecutionException e) {
      // The event loop has ended, and this connection with it.
      otherwise.run();
    }
  }

  @Override
  public void limits(FrameLimits limits) {
    receiver.limits(limits);
  }

  @Override
  public void send(ByteBuf headerAndHead) {
    channel.write(headerAndHead, channel.voidPromise());
  }

  @Override
  public void send(ByteBuf headerAndHead, FetchedBytes body) {
    if (body.pieces().isEmpty()) {
      body.close();
      channel.write(headerAndHead, channel.voidPromise());
      return;
    }
    channel.write(headerAndHead, channel.voidPromise());
    if (encrypted) {
      sendCopied(body);
      return;
    }
    int last = body.pieces().size() - 1;
    for (int i = 0; i < last; i++) {
      channel.write(message(body.pieces().get(i)), channel.voidPromise());
    }
    // Writes complete in order, so the last one ends the use of every piece.
    channel
        .write(message(body.pieces().get(last)))
        .addListener(
            (ChannelFutureListener)
                written -> {
                  body.close();
                  if (!written.isSuccess()) {
                    // Part of a body has gone out: nothing can follow it.
                    channel.close();
                  }
                });
  }

  /** The kernel sends a file to a socket as it is; what is encrypted goes through memory. */
  private void sendCopied(FetchedBytes body) {
    try {
      for (Piece piece : body.pieces()) {
        if (piece instanceof MemoryPiece memory) {
          channel.write(memory.buffer().retainedSlice(), channel.voidPromise());
        } else {
          sendCopied((FilePiece) piece);
        }
      }
    } catch (IOException e) {
      LOG.warn("fetched bytes cannot be read peer={} problem={}", peer(), e.toString());
      // Part of a body has gone out: nothing can follow it.
      channel.close();
    } finally {
      // Memory pieces are held by their slices.
      body.close();
    }
  }

  private void sendCopied(FilePiece file) throws IOException {
    int sent = 0;
    while (sent < file.length()) {
      int length = Math.min(COPY_LENGTH, file.length() - sent);
      ByteBuf part = channel.alloc().directBuffer(length, length);
      boolean read = false;
      try {
        while (part.isWritable()) {
          long position = file.position() + sent + part.readableBytes();
          if (part.writeBytes(file.channel(), position, part.writableBytes()) <= 0) {
            throw new EOFException("file ends at " + position);
          }
        }
        read = true;
      } finally {
        if (!read) {
          part.release();
        }
      }
      channel.write(part, channel.voidPromise());
      sent += length;
    }
  }

  private static Object message(Piece piece) {
    if (piece instanceof MemoryPiece memory) {
      return memory.buffer().retainedSlice();
    }
    FilePiece file = (FilePiece) piece;
    return new SharedFileRegion(file.channel(), file.position(), file.length());
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

  @Override
  public boolean isWritable() {
    return channel.isWritable();
  }

  @Override
  public void receiveBody(ByteBuf target) {
    receiver.receiveBody(target);
  }

  @Override
  public void discardBody() {
    receiver.discardBody();
  }

  @Override
  public void reading(boolean wanted) {
    if (wanted) {
      receiver.resume();
    } else {
      receiver.pause();
    }
  }

  @Override
  public void closeAfterSending() {
    receiver.end();
    LingeringClose.afterSending(channel, Unpooled.EMPTY_BUFFER);
  }

  // What the receiver brings.

  @Override
  public void onHead(FrameHeader header, ByteBuf frame) {
    connection.onHead(header, frame);
  }

  @Override
  public void onBody(FrameHeader header, ByteBuf body) {
    connection.onBody(header, body);
  }

  @Override
  public void onMalformed(long requestId, FrameFormatException problem) {
    connection.onMalformed(requestId, problem);
  }

  @Override
  public void onReadComplete() {
    channel.flush();
  }

  @Override
  public void onWritabilityChanged() {
    connection.onWritabilityChanged();
    // Frames that were waiting in memory may have been answered just now.
    channel.flush();
  }

  @Override
  public void onClosed(Throwable causeOrNull) {
    closed = true;
    if (silenceCheck != null) {
      silenceCheck.cancel(false);
    }
    if (causeOrNull != null && !(causeOrNull instanceof IOException)) {
      LOG.error("data connection failed peer={}", peer(), causeOrNull);
    }
    connection.onClosed();
    counters.connectionClosed(peer);
  }
}
