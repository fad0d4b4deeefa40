package io.sluice.transport.server;

import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.common.error.UnexpectedFailure;
import io.sluice.common.rpc.BoundedCall;
import io.sluice.transport.protocol.DataExchange;
import io.sluice.transport.protocol.FrameHeader;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.protocol.MessageReceiver;
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
 * Frames over one gRPC stream. gRPC delivers a stream's events sequentially but on changing
 * threads; therefore the connection's serial executor is this object's lock.
 */
final class GrpcTransportConnection extends TransportConnection {
  private static final Logger LOG = LoggerFactory.getLogger(GrpcTransportConnection.class);

  /** The next message is passed to gRPC while it has fewer unsent bytes of the stream than this. */
  private static final int SEND_THRESHOLD = ReplyQueue.COPY_BYTES - ReplyQueue.PART_BYTES;

  private final ServerCall<InputStream, InputStream> call;
  private final Optional<BoundedCall> bounds;
  private final ByteBufAllocator allocator;
  private final Executor executor;
  private final Consumer<GrpcTransportConnection> onEnd;
  private final MessageReceiver receiver;

  private boolean requested;
  private boolean expectsBody;
  private boolean ended;
  private boolean closeWhenSent;
  private boolean sending;
  private int readyThreshold;
  private long sentMessages;
  private Future<?> periodicCheck;

  /**
   * @param bounds limits of the call; empty on a port without limits
   */
  GrpcTransportConnection(
      ServerCall<InputStream, InputStream> call,
      Optional<BoundedCall> bounds,
      ByteBufAllocator allocator,
      DataService service,
      DataTransportConfig config,
      TransportCounters counters,
      Executor executor,
      LongSupplier nanoTime,
      Consumer<GrpcTransportConnection> onEnd) {
    super(
        call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR),
        service,
        config,
        counters,
        nanoTime);
    this.call = call;
    this.bounds = bounds;
    this.allocator = allocator;
    this.executor = executor;
    this.onEnd = onEnd;
    this.receiver = new MessageReceiver(allocator, ServerConnection.HELLO_LIMITS, this);
  }

  synchronized void start(ScheduledExecutorService scheduler) {
    long intervalMs = checkIntervalMs();
    periodicCheck =
        scheduler.scheduleWithFixedDelay(
            this::checkLocked, intervalMs, intervalMs, TimeUnit.MILLISECONDS);
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
        GrpcTransportConnection.this.onMessage(message);
      }

      @Override
      public void onReady() {
        GrpcTransportConnection.this.onReady();
      }

      @Override
      public void onHalfClose() {
        fail(Status.OK);
      }

      @Override
      public void onCancel() {
        if (bounds.map(BoundedCall::wasRefused).orElse(false)) {
          counters().protocolError();
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
      fail(Status.INTERNAL.withDescription("cannot read a message: " + e.getMessage()));
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
    expectBody();
    if (!requested && !ended && receiver.wantsMessage()) {
      requested = true;
      call.request(1);
    }
  }

  /** Lets the client send a body at once, when there is memory for all of it. */
  private void expectBody() {
    int missing = receiver.missingBodyBytes();
    if (missing == 0) {
      expectsBody = false;
    } else if (!expectsBody) {
      expectsBody = true;
      bounds.ifPresent(call -> call.expect(missing));
    }
  }

  /** Ends the stream with a status immediately. Called by any thread. */
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
    periodicCheck.cancel(false);
    receiver.end();
    ended();
    onEnd.accept(this);
  }

  private synchronized void checkLocked() {
    if (!ended) {
      check();
    }
  }

  @Override
  void closeOverdue(String what) {
    fail(
        Status.DEADLINE_EXCEEDED.withDescription("the server timed out while waiting for " + what));
  }

  @Override
  long sendProgress() {
    return sentMessages - replies().handedOverBytes();
  }

  // Called by the connection, with the lock.

  @Override
  ByteBufAllocator allocator() {
    return allocator;
  }

  @Override
  MessageReceiver receiver() {
    return receiver;
  }

  @Override
  void execute(Runnable task, Runnable otherwise) {
    try {
      executor.execute(() -> runLocked(task, otherwise));
    } catch (RejectedExecutionException e) {
      // The server is shutting down and ends its streams.
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
      logFailure(e);
      fail(Status.INTERNAL.withDescription("internal error of the server: " + e));
      return;
    }
    requestIfWanted();
  }

  @Override
  int copyBytes() {
    return ReplyQueue.COPY_BYTES;
  }

  @Override
  void limits(FrameLimits limits) {
    super.limits(limits);
    bounds.ifPresent(call -> call.maxMessageBytes(DataExchange.MAX_MESSAGE_LENGTH));
  }

  /** Sends queued replies while gRPC accepts messages. */
  @Override
  void sendQueued() {
    if (ended) {
      replies().close();
      return;
    }
    if (sending) {
      return;
    }
    sending = true;
    try {
      boolean wasWritable = replies().isWritable();
      while (!ended && replies().hasNext() && isReadyBelow(SEND_THRESHOLD)) {
        sendNext();
      }
      if (!ended && !replies().hasNext()) {
        countUnsent();
      }
      if (ended) {
        return;
      }
      if (closeWhenSent && !replies().hasNext()) {
        fail(Status.OK);
        return;
      }
      if (!wasWritable && replies().isWritable()) {
        connection().onWritabilityChanged();
        requestIfWanted();
      }
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      logUnsent(e);
      fail(Status.DATA_LOSS.withDescription("cannot send a reply: " + e.getMessage()));
    } finally {
      sending = false;
    }
  }

  private void sendNext() throws IOException {
    ByteBuf message = replies().next(allocator, DataExchange.MAX_MESSAGE_LENGTH);
    try {
      if (sentMessages == 0) {
        // Not earlier: a stream that is refused at once gets the reason in its first headers.
        call.sendHeaders(new Metadata());
      }
      sentMessages++;
      call.sendMessage(DataExchange.message(message));
    } finally {
      message.release();
    }
  }

  /**
   * Whether gRPC has fewer than {@code threshold} unsent bytes of the stream. All other bytes
   * passed to it are sent then: gRPC counts a byte until the socket has accepted it, encrypted or
   * not.
   */
  private boolean isReadyBelow(int threshold) {
    readyBelow(threshold);
    if (!call.isReady()) {
      return false;
    }
    long unsent = Math.min(replies().handedOverBytes(), threshold - 1);
    replies().sent(replies().handedOverBytes() - unsent);
    return true;
  }

  /**
   * All replies were passed to gRPC. Bytes of a memory budget are counted until gRPC has sent all
   * bytes of the stream, which {@code onReady} reports.
   */
  private void countUnsent() {
    if (!replies().hasCounted()) {
      replies().sent(replies().handedOverBytes());
    } else {
      isReadyBelow(1);
    }
  }

  /**
   * gRPC documents that the threshold is set before the first message. Its implementation reads it
   * under a lock whenever bytes are queued or sent, so that it can be changed at any time.
   */
  private void readyBelow(int threshold) {
    if (readyThreshold != threshold) {
      readyThreshold = threshold;
      call.setOnReadyThreshold(threshold);
    }
  }

  @Override
  void closeAfterSending() {
    receiver.end();
    closeWhenSent = true;
    executeClose();
  }

  private void executeClose() {
    // The reply with the reason may still be queued by a caller; close after the current event.
    execute(this::sendQueued, () -> {});
  }
}
