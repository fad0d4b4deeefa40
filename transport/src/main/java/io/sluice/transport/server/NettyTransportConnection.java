package io.sluice.transport.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.DuplexChannel;
import io.sluice.common.net.LingeringClose;
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
 * Frames over one TCP connection. Confined to the channel's event loop.
 *
 * <p>Without TLS, replies are passed to the channel without a copy: it references blocks, and the
 * kernel sends files. With TLS, at most {@link ReplyQueue#COPY_BYTES} of unsent data are passed to
 * the channel; the rest of a reply is read later.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failed write or close reaches onClosed.
final class NettyTransportConnection extends TransportConnection implements ChannelFrameSink {
  /** Bytes in memory that fill a TLS record are encrypted without an additional copy. */
  private static final int RECORD_BYTES = 16 << 10;

  private final DuplexChannel channel;
  private final boolean encrypted;
  private final FrameReceiver receiver;
  private final List<Object> messages = new ArrayList<>();

  private Future<?> periodicCheck;
  private boolean handingOver;
  private int unflushedBytes;

  /** Replies of several parts that are not written to the socket. */
  private int unsentInParts;

  private boolean closeWhenSent;
  private boolean closed;

  /**
   * @param peer remote address, counted until the connection ends
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

  /** Starts the timeout checks. Called on the event loop. */
  void start() {
    long intervalMs = checkIntervalMs();
    periodicCheck =
        channel
            .eventLoop()
            .scheduleWithFixedDelay(this::check, intervalMs, intervalMs, TimeUnit.MILLISECONDS);
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
      // The event loop has ended, and has closed this connection.
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

  /**
   * Passes queued replies to the channel. Guarded against re-entry, because the channel calls back.
   */
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
      // The head of a reply and one part need no more segments than one message.
      boolean inParts = last > 1;
      boolean firstInParts = inParts && unsentInParts++ == 0;
      for (int i = 0; i < last; i++) {
        channel.write(messages.get(i), channel.voidPromise());
      }
      // Writes complete in order, so the last message completes all of them.
      channel
          .write(messages.get(last))
          .addListener(
              written -> {
                if (inParts && --unsentInParts == 0) {
                  sendWholeSegments(false);
                }
                onWritten(bytes, written.isSuccess());
              });
      messages.clear();
      if (firstInParts) {
        // After the channel owns the messages, in case the socket refuses the option.
        sendWholeSegments(true);
      }
    }
  }

  private void handOverParts() throws IOException {
    while (!closed
        && replies().hasNext()
        && replies().handedOverBytes() <= ReplyQueue.COPY_BYTES - ReplyQueue.PART_BYTES) {
      ByteBuf part = replies().next(channel.alloc(), RECORD_BYTES);
      int bytes = part.readableBytes();
      unflushedBytes += bytes;
      channel.write(part).addListener(written -> onWritten(bytes, written.isSuccess()));
      if (unflushedBytes >= ReplyQueue.PART_BYTES) {
        // Usually the socket accepts the part at once, which makes room for the next one.
        flush();
      }
    }
  }

  /**
   * Each part of a reply that is in a file is a system call of its own, after which the kernel
   * would send a short segment. While replies are sent in parts, it sends whole segments only. Has
   * no effect on channels without that option.
   */
  private void sendWholeSegments(boolean only) {
    if (channel.isOpen()) {
      channel.config().setOption(EpollChannelOption.TCP_CORK, only);
    }
  }

  private void flush() {
    unflushedBytes = 0;
    channel.flush();
  }

  private void onWritten(int bytes, boolean success) {
    if (closed) {
      return;
    }
    if (!success) {
      // A reply was sent partially: the connection cannot be used again.
      channel.close();
      return;
    }
    boolean wasWritable = replies().isWritable();
    replies().sent(bytes);
    handOver();
    if (!wasWritable && replies().isWritable()) {
      // Resume requests that were received but not handled.
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
    if (periodicCheck != null) {
      periodicCheck.cancel(false);
    }
    if (causeOrNull != null && !(causeOrNull instanceof IOException)) {
      logFailure(causeOrNull);
    }
    ended();
  }
}
