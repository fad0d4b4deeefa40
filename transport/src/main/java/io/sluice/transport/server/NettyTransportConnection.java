package io.sluice.transport.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.DuplexChannel;
import io.sluice.transport.protocol.ChannelFrameSink;
import io.sluice.transport.protocol.FrameReceiver;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Frames over one TCP connection. Belongs to the channel's event loop.
 *
 * <p>In clear, replies are given to the channel as they lie: it holds references to blocks, and the
 * kernel sends files. Encrypted, at most {@link ReplyQueue#COPY_BYTES} are given to it and have not
 * left as ciphertext; the rest of a reply stays where it lies until then.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failed write or close reaches onClosed.
final class NettyTransportConnection extends TransportConnection implements ChannelFrameSink {
  /** Bytes in memory that fill a TLS record are encrypted without being collected before. */
  private static final int RECORD_BYTES = 16 << 10;

  private final DuplexChannel channel;
  private final boolean encrypted;
  private final FrameReceiver receiver;
  private final List<Object> messages = new ArrayList<>();

  private Future<?> silenceCheck;
  private boolean handingOver;
  private int unflushedBytes;
  private boolean closeWhenSent;
  private boolean closed;

  /**
   * @param peer for which the connection has a place
   */
  NettyTransportConnection(
      DuplexChannel channel,
      SocketAddress peer,
      DataService service,
      DataTransportConfig config,
      boolean encrypted,
      TransportCounters counters,
      LongSupplier nanoTime) {
    super(peer, service, config, counters, nanoTime);
    this.channel = channel;
    this.encrypted = encrypted;
    this.receiver = new FrameReceiver(ServerConnection.HELLO_LIMITS, this);
  }

  @Override
  FrameReceiver receiver() {
    return receiver;
  }

  /** Begins to look for silence. Called on the event loop. */
  void start() {
    long everyMs = silenceCheckMs();
    silenceCheck =
        channel
            .eventLoop()
            .scheduleWithFixedDelay(this::checkSilence, everyMs, everyMs, TimeUnit.MILLISECONDS);
  }

  @Override
  void closeOverdue(String what) {
    channel.close();
  }

  @Override
  long sendProgress() {
    ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
    if (buffer == null || buffer.isEmpty()) {
      return 0;
    }
    return 31 * buffer.totalPendingWriteBytes()
        + 17 * buffer.currentProgress()
        + System.identityHashCode(buffer.current());
  }

  @Override
  ByteBufAllocator allocator() {
    return channel.alloc();
  }

  @Override
  void execute(Runnable task, Runnable otherwise) {
    try {
      channel
          .eventLoop()
          .execute(
              () -> {
                if (closed) {
                  otherwise.run();
                  return;
                }
                try {
                  task.run();
                } catch (RuntimeException | Error e) {
                  logFailure(e);
                  channel.close();
                  return;
                }
                flush();
              });
    } catch (RejectedExecutionException e) {
      // The event loop has ended, and this connection with it.
      otherwise.run();
    }
  }

  @Override
  int copyBytes() {
    return encrypted ? ReplyQueue.COPY_BYTES : 0;
  }

  @Override
  void sendQueued() {
    if (closed) {
      replies().close();
    } else {
      handOver();
    }
  }

  /** Gives the channel what it may have. Not re-entered: the channel calls back. */
  private void handOver() {
    if (handingOver) {
      return;
    }
    handingOver = true;
    try {
      if (encrypted) {
        handOverParts();
      } else {
        handOverAll();
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      logUnsent(e);
      channel.close();
    } finally {
      handingOver = false;
    }
    if (closeWhenSent && !replies().hasNext()) {
      closeWhenSent = false;
      LingeringClose.afterSending(channel, Unpooled.EMPTY_BUFFER);
    }
  }

  private void handOverAll() {
    while (replies().hasNext()) {
      int bytes = replies().next(messages);
      unflushedBytes += bytes;
      int last = messages.size() - 1;
      for (int i = 0; i < last; i++) {
        channel.write(messages.get(i), channel.voidPromise());
      }
      // Writes complete in order, so that of the last message stands for all of them.
      channel.write(messages.get(last)).addListener(written -> left(bytes, written.isSuccess()));
      messages.clear();
    }
  }

  private void handOverParts() throws IOException {
    while (!closed
        && replies().hasNext()
        && replies().handedOverBytes() <= ReplyQueue.COPY_BYTES - ReplyQueue.PART_BYTES) {
      ByteBuf part = replies().next(channel.alloc(), RECORD_BYTES);
      int bytes = part.readableBytes();
      unflushedBytes += bytes;
      channel.write(part).addListener(written -> left(bytes, written.isSuccess()));
      if (unflushedBytes >= ReplyQueue.PART_BYTES) {
        // Most of the time this frees the room for the next part at once.
        flush();
      }
    }
  }

  private void flush() {
    unflushedBytes = 0;
    channel.flush();
  }

  private void left(int bytes, boolean sent) {
    if (closed) {
      return;
    }
    if (!sent) {
      // Part of a reply has gone out: nothing can follow it.
      channel.close();
      return;
    }
    boolean wasWritable = replies().isWritable();
    replies().left(bytes);
    handOver();
    if (!wasWritable && replies().isWritable()) {
      // Frames that were waiting in memory may be answered now.
      connection().onWritabilityChanged();
    }
    if (unflushedBytes > 0 && !handingOver) {
      flush();
    }
  }

  @Override
  void closeAfterSending() {
    receiver.end();
    closeWhenSent = true;
    handOver();
  }

  @Override
  public void onReadComplete() {
    flush();
  }

  @Override
  public void onClosed(Throwable causeOrNull) {
    closed = true;
    if (silenceCheck != null) {
      silenceCheck.cancel(false);
    }
    if (causeOrNull != null && !(causeOrNull instanceof IOException)) {
      logFailure(causeOrNull);
    }
    ended();
  }
}
