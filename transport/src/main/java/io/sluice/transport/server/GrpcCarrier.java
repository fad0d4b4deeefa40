package io.sluice.transport.server;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.error.UnexpectedFailure;
import io.sluice.common.rpc.BoundedCall;
import io.sluice.transport.frame.FrameFormatException;
import io.sluice.transport.frame.FrameHeader;
import io.sluice.transport.frame.FrameLimits;
import io.sluice.transport.net.DataExchange;
import io.sluice.transport.net.FrameSink;
import io.sluice.transport.net.MessageReceiver;
import io.sluice.transport.service.DataService;
import io.sluice.transport.service.FetchedBytes;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frames over one gRPC stream. gRPC delivers a stream's events one after the other but on changing
 * threads; so the connection's serial executor is this object's lock.
 */
final class GrpcCarrier implements Carrier, FrameSink {
  private static final Logger LOG = LoggerFactory.getLogger(GrpcCarrier.class);

  /** A further message is given to gRPC while it holds less than this unsent of the stream. */
  private static final int SEND_THRESHOLD = ReplyQueue.COPY_BYTES - ReplyQueue.PART_BYTES;

  private final ServerCall<InputStream, InputStream> call;
  private final Optional<BoundedCall> bounds;
  private final ByteBufAllocator allocator;
  private final TransportCounters counters;
  private final Executor executor;
  private final LongSupplier nanoTime;
  private final Consumer<GrpcCarrier> onEnd;
  private final ServerConnection connection;
  private final MessageReceiver receiver;
  private final SilenceWatch silence;
  private final ReplyQueue replies = new ReplyQueue();

  private boolean requested;
  private boolean ended;
  private boolean closeWhenSent;
  private boolean sending;
  private int readyThreshold;
  private long sentMessages;
  private Future<?> silenceCheck;

  /**
   * @param bounds of the call; empty on a port without
   */
  GrpcCarrier(
      ServerCall<InputStream, InputStream> call,
      Optional<BoundedCall> bounds,
      ByteBufAllocator allocator,
      DataService service,
      DataTransportConfig config,
      TransportCounters counters,
      Executor executor,
      LongSupplier nanoTime,
      Consumer<GrpcCarrier> onEnd) {
    this.call = call;
    this.bounds = bounds;
    this.allocator = allocator;
    this.counters = counters;
    this.executor = executor;
    this.nanoTime = nanoTime;
    this.onEnd = onEnd;
    this.connection = new ServerConnection(service, config, counters, this);
    this.receiver = new MessageReceiver(allocator, ServerConnection.HELLO_LIMITS, this);
    this.silence = new SilenceWatch(config, nanoTime.getAsLong());
  }

  synchronized void start(ScheduledExecutorService scheduler) {
    long everyMs = silence.intervalMs();
    silenceCheck =
        scheduler.scheduleWithFixedDelay(
            this::checkSilence, everyMs, everyMs, TimeUnit.MILLISECONDS);
    readyBelow(SEND_THRESHOLD);
    requestIfWanted();
  }

  /** Maximum length of the first message of a stream, in bytes: a HELLO. */
  static int longestFirstMessage() {
    return FrameHeader.LENGTH + ServerConnection.HELLO_LIMITS.maxHeadLength();
  }

  ServerCall.Listener<InputStream> listener() {
    return new ServerCall.Listener<>() {
      @Override
      public void onMessage(InputStream message) {
        GrpcCarrier.this.onMessage(message);
      }

      @Override
      public void onReady() {
        GrpcCarrier.this.onReady();
      }

      @Override
      public void onHalfClose() {
        fail(Status.OK);
      }

      @Override
      public void onCancel() {
        if (bounds.map(BoundedCall::wasRefused).orElse(false)) {
          counters.protocolError();
        }
        end();
      }

      @Override
      public void onComplete() {
        end();
      }
    };
  }

  private synchronized void onMessage(InputStream received) {
    requested = false;
    try (InputStream message = received) {
      if (ended) {
        return;
      }
      receiver.onMessage(message);
    } catch (IOException e) {
      fail(Status.INTERNAL.withDescription("message cannot be read: " + e.getMessage()));
      return;
    } catch (RuntimeException e) {
      fail(
          Status.INTERNAL.withDescription(
              UnexpectedFailure.logged(LOG, "data connection", peer(), e).getMessage()));
      return;
    }
    requestIfWanted();
  }

  private synchronized void onReady() {
    sendQueued();
  }

  private void requestIfWanted() {
    if (!requested && !ended && receiver.wantsMessage()) {
      requested = true;
      call.request(1);
    }
  }

  /** Ends the stream with a status, now. Called by any thread. */
  synchronized void fail(Status status) {
    if (!ended) {
      call.close(status, new Metadata());
      bounds.ifPresent(BoundedCall::closing);
      end();
    }
  }

  private synchronized void end() {
    if (ended) {
      return;
    }
    ended = true;
    silenceCheck.cancel(false);
    receiver.end();
    replies.close();
    connection.onClosed();
    counters.connectionClosed(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
    onEnd.accept(this);
  }

  private synchronized void checkSilence() {
    if (ended) {
      return;
    }
    String overdue =
        silence.overdue(
            nanoTime.getAsLong(),
            connection.greeted(),
            new SilenceWatch.Received(
                receiver.receivedBytes(), receiver.receivedFrames(), receivedPart()),
            new SilenceWatch.Sent(
                !replies.isEmpty(),
                sentMessages - replies.handedOverBytes(),
                replies.sentReplies()));
    if (overdue != null) {
      connection.onTimeout(overdue);
      fail(
          Status.DEADLINE_EXCEEDED.withDescription(
              "the server has waited too long for " + overdue));
    }
  }

  private SilenceWatch.Part receivedPart() {
    if (receiver.receivingBody()) {
      return SilenceWatch.Part.BODY;
    }
    return receiver.receivingHead() ? SilenceWatch.Part.HEAD : SilenceWatch.Part.NONE;
  }

  // What the connection asks for, under the lock.

  @Override
  public ByteBufAllocator allocator() {
    return allocator;
  }

  @Override
  public String peer() {
    return String.valueOf(call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR));
  }

  @Override
  public void execute(Runnable task, Runnable otherwise) {
    try {
      executor.execute(() -> runLocked(task, otherwise));
    } catch (RejectedExecutionException e) {
      // The server is shutting down, and its streams with it.
      otherwise.run();
    }
  }

  private synchronized void runLocked(Runnable task, Runnable otherwise) {
    if (ended) {
      otherwise.run();
      return;
    }
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      // A reply may be missing: nothing can follow it.
      LOG.error("data connection failed peer={}", peer(), e);
      fail(Status.INTERNAL.withDescription("the server failed: " + e));
      return;
    }
    requestIfWanted();
  }

  @Override
  public int copyBytes() {
    return ReplyQueue.COPY_BYTES;
  }

  @Override
  public void limits(FrameLimits limits) {
    receiver.limits(limits);
    bounds.ifPresent(call -> call.maxMessageBytes(DataExchange.MAX_MESSAGE_LENGTH));
  }

  @Override
  public void send(ByteBuf headerAndHead) {
    replies.add(headerAndHead);
    sendQueued();
  }

  @Override
  public void send(ByteBuf headerAndHead, Runnable onLeft) {
    replies.add(headerAndHead, onLeft);
    sendQueued();
  }

  @Override
  public void send(ByteBuf headerAndHead, FetchedBytes body) {
    replies.add(headerAndHead, body);
    sendQueued();
  }

  /** Sends while gRPC takes more. */
  private void sendQueued() {
    if (ended) {
      replies.close();
      return;
    }
    if (sending) {
      return;
    }
    sending = true;
    try {
      boolean wasWritable = replies.isWritable();
      while (!ended && replies.hasNext() && isReadyBelow(SEND_THRESHOLD)) {
        sendNext();
      }
      if (!ended && !replies.hasNext()) {
        countTheRest();
      }
      if (ended) {
        return;
      }
      if (closeWhenSent && !replies.hasNext()) {
        fail(Status.OK);
        return;
      }
      if (!wasWritable && replies.isWritable()) {
        connection.onWritabilityChanged();
        requestIfWanted();
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      LOG.warn("a reply cannot be sent peer={} problem={}", peer(), e.toString());
      fail(Status.DATA_LOSS.withDescription("a reply cannot be sent: " + e.getMessage()));
    } finally {
      sending = false;
    }
  }

  private void sendNext() throws IOException {
    ByteBuf message = replies.next(allocator, DataExchange.MAX_MESSAGE_LENGTH);
    try {
      if (sentMessages == 0) {
        // Not before: a stream that is refused at once is told why in its first headers.
        call.sendHeaders(new Metadata());
      }
      sentMessages++;
      call.sendMessage(DataExchange.message(message));
    } finally {
      message.release();
    }
  }

  /**
   * Whether gRPC holds less than {@code threshold} bytes of the stream. All others of those that it
   * was given have left then: it counts a byte until the socket has accepted it, encrypted or not.
   */
  private boolean isReadyBelow(int threshold) {
    readyBelow(threshold);
    if (!call.isReady()) {
      return false;
    }
    long held = Math.min(replies.handedOverBytes(), threshold - 1);
    replies.left(replies.handedOverBytes() - held);
    return true;
  }

  /**
   * Everything was given to gRPC. What a budget counts is counted until gRPC holds nothing more of
   * the stream, of which {@code onReady} tells.
   */
  private void countTheRest() {
    if (!replies.hasCounted()) {
      replies.left(replies.handedOverBytes());
    } else {
      isReadyBelow(1);
    }
  }

  /**
   * gRPC documents that the threshold is set before the first message. It looks at it, under a lock
   * of its own, whenever bytes are given to it or have left, so that it may be set at any time:
   * {@code GrpcReplyTest} holds it to that.
   */
  private void readyBelow(int threshold) {
    if (readyThreshold != threshold) {
      readyThreshold = threshold;
      call.setOnReadyThreshold(threshold);
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
    receiver.paused(!wanted);
  }

  @Override
  public void closeAfterSending() {
    receiver.end();
    closeWhenSent = true;
    executeClose();
  }

  private void executeClose() {
    // The reason may be queued by the caller's caller; close when this event has been handled.
    execute(this::sendQueued, () -> {});
  }

  // What the receiver brings, under the lock.

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
}
