package io.sluice.transport.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.DuplexChannel;
import io.sluice.transport.frame.FrameFormatException;
import io.sluice.transport.frame.FrameHeader;
import io.sluice.transport.frame.FrameLimits;
import io.sluice.transport.net.ChannelFrameSink;
import io.sluice.transport.net.FrameReceiver;
import io.sluice.transport.service.DataService;
import io.sluice.transport.service.FetchedBytes;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frames over one TCP connection. Belongs to the channel's event loop.
 *
 * <p>In clear, replies are given to the channel as they lie: it holds references to blocks, and the
 * kernel sends files. Encrypted, at most {@link ReplyQueue#COPY_BYTES} are given to it and have not
 * left as ciphertext; the rest of a reply stays where it lies until then.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failed write or close reaches onClosed.
final class NettyCarrier implements Carrier, ChannelFrameSink {
  private static final Logger LOG = LoggerFactory.getLogger(NettyCarrier.class);

  /** Bytes in memory that fill a TLS record are encrypted without being collected before. */
  private static final int RECORD_BYTES = 16 << 10;

  private final DuplexChannel channel;
  private final SocketAddress peer;
  private final boolean encrypted;
  private final TransportCounters counters;
  private final LongSupplier nanoTime;
  private final ServerConnection connection;
  private final FrameReceiver receiver;
  private final SilenceWatch silence;
  private final ReplyQueue replies = new ReplyQueue();
  private final List<Object> messages = new ArrayList<>();

  private Future<?> silenceCheck;
  private boolean handingOver;
  private int unflushedBytes;
  private boolean closeWhenSent;
  private boolean closed;

  /**
   * @param peer for which the connection has a place
   */
  NettyCarrier(
      DuplexChannel channel,
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
            connection.greeted(),
            new SilenceWatch.Received(
                receiver.receivedBytes(), receiver.receivedFrames(), receivedPart()),
            new SilenceWatch.Sent(!replies.isEmpty(), sendProgress(), replies.sentReplies()));
    if (overdue != null) {
      connection.onTimeout(overdue);
      channel.close();
    }
  }

  private SilenceWatch.Part receivedPart() {
    if (receiver.receivingBody()) {
      return SilenceWatch.Part.BODY;
    }
    return receiver.receivingHead() ? SilenceWatch.Part.HEAD : SilenceWatch.Part.NONE;
  }

  /** A number that changes whenever bytes go out. */
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
                try {
                  task.run();
                } catch (RuntimeException | Error e) {
                  // A reply may be missing, or be sent in part: nothing can follow it.
                  LOG.error("data connection failed peer={}", peer(), e);
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
  public int copyBytes() {
    return encrypted ? ReplyQueue.COPY_BYTES : 0;
  }

  @Override
  public void limits(FrameLimits limits) {
    receiver.limits(limits);
  }

  @Override
  public void send(ByteBuf headerAndHead) {
    replies.add(headerAndHead);
    sent();
  }

  @Override
  public void send(ByteBuf headerAndHead, Runnable onLeft) {
    replies.add(headerAndHead, onLeft);
    sent();
  }

  @Override
  public void send(ByteBuf headerAndHead, FetchedBytes body) {
    replies.add(headerAndHead, body);
    sent();
  }

  private void sent() {
    if (closed) {
      replies.close();
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
      LOG.warn("a reply cannot be sent peer={} problem={}", peer(), e.toString());
      // Part of it may have gone out: nothing can follow it.
      channel.close();
    } finally {
      handingOver = false;
    }
    if (closeWhenSent && !replies.hasNext()) {
      closeWhenSent = false;
      LingeringClose.afterSending(channel, Unpooled.EMPTY_BUFFER);
    }
  }

  private void handOverAll() {
    while (replies.hasNext()) {
      int bytes = replies.next(messages);
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
        && replies.hasNext()
        && replies.handedOverBytes() <= ReplyQueue.COPY_BYTES - ReplyQueue.PART_BYTES) {
      ByteBuf part = replies.next(channel.alloc(), RECORD_BYTES);
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
    boolean wasWritable = replies.isWritable();
    replies.left(bytes);
    handOver();
    if (!wasWritable && replies.isWritable()) {
      // Frames that were waiting in memory may be answered now.
      connection.onWritabilityChanged();
    }
    if (unflushedBytes > 0 && !handingOver) {
      flush();
    }
  }

  @Override
  public boolean isWritable() {
    return replies.isWritable();
  }

  @Override
  public void receiveHead() {
    receiver.receiveHead();
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
    closeWhenSent = true;
    handOver();
  }

  // What the receiver brings.

  @Override
  public boolean onHeader(FrameHeader header) {
    return connection.onHeader(header);
  }

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
    flush();
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
    replies.close();
    connection.onClosed();
    counters.connectionClosed(peer);
  }
}
