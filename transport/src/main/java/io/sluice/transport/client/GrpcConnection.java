package io.sluice.transport.client;

import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.Status;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.common.net.CallFailure;
import io.sluice.transport.protocol.DataExchange;
import io.sluice.transport.protocol.MessageReceiver;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection inside a gRPC stream, on a separate HTTP/2 connection: streams on one HTTP/2
 * connection share its flow-control window, and a push that waits for memory would block all of
 * them.
 *
 * <p>Received messages are handled on gRPC's thread. Sending is guarded by this object's lock,
 * because both callers and gRPC's thread send.
 */
final class GrpcConnection extends FramedConnection {
  private static final Logger LOG = LoggerFactory.getLogger(GrpcConnection.class);

  /**
   * Number of messages requested in advance, to save round trips; memory for them is already
   * allocated.
   */
  private static final int MESSAGES_AHEAD = 4;

  /** The next message is passed to gRPC while it has fewer unsent bytes of the stream than this. */
  private static final int SEND_THRESHOLD = DataExchange.MAX_MESSAGE_LENGTH;

  private final ManagedChannel channel;
  private final ClientCall<InputStream, InputStream> call;
  private final MessageReceiver receiver;
  private final Consumer<GrpcConnection> onEnd;
  private final Deque<ByteBuf> outgoing = new ArrayDeque<>();
  private boolean ended;
  private Future<?> overdueCheck;

  GrpcConnection(
      String server,
      ManagedChannel channel,
      TransportConfig config,
      LongSupplier nanoTime,
      Consumer<GrpcConnection> onEnd) {
    super(server, PooledByteBufAllocator.DEFAULT, config, nanoTime);
    this.channel = channel;
    this.onEnd = onEnd;
    this.call =
        channel.newCall(
            DataExchange.METHOD, CallOptions.DEFAULT.withOnReadyThreshold(SEND_THRESHOLD));
    this.receiver = new MessageReceiver(allocator(), config.limits(), this);
  }

  /** Opens the stream and starts the checks of request timeouts. */
  synchronized void start(ScheduledExecutorService scheduler) {
    long intervalMs = config().overdueCheckMs();
    overdueCheck =
        scheduler.scheduleWithFixedDelay(
            this::checkOverdue, intervalMs, intervalMs, TimeUnit.MILLISECONDS);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onMessage(InputStream message) {
            GrpcConnection.this.onMessage(message);
          }

          @Override
          public void onReady() {
            sendQueued();
          }

          @Override
          public void onClose(Status status, Metadata trailers) {
            onClosed(status);
          }
        },
        new Metadata());
    call.request(MESSAGES_AHEAD);
  }

  @Override
  void send(ByteBuf headerAndHead, ByteBuf body) {
    synchronized (this) {
      if (!ended) {
        outgoing.add(headerAndHead);
        if (body != null && body.isReadable()) {
          outgoing.add(body);
        } else if (body != null) {
          body.release();
        }
        sendQueued();
        return;
      }
    }
    headerAndHead.release();
    if (body != null) {
      body.release();
    }
  }

  /**
   * Sends queued messages while gRPC is ready: only then does it copy a message before the call
   * returns.
   */
  private synchronized void sendQueued() {
    while (!ended && !outgoing.isEmpty() && call.isReady()) {
      ByteBuf first = outgoing.peek();
      ByteBuf part =
          first.readSlice(Math.min(first.readableBytes(), DataExchange.MAX_MESSAGE_LENGTH));
      call.sendMessage(DataExchange.message(part));
      if (!first.isReadable()) {
        outgoing.remove();
        first.release();
      }
    }
  }

  @Override
  void end(Throwable cause) {
    requests().failAll(cause);
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
      if (overdueCheck != null) {
        overdueCheck.cancel(false);
      }
      outgoing.forEach(ByteBuf::release);
      outgoing.clear();
    }
    call.cancel("connection ended: " + cause.getMessage(), null);
    channel.shutdownNow();
    onEnd.accept(this);
  }

  /** Waits until gRPC has released a closed connection, at most {@code timeoutNanos}. */
  void awaitEnd(long timeoutNanos) {
    try {
      if (!channel.awaitTermination(timeoutNanos, TimeUnit.NANOSECONDS)) {
        LOG.warn("gRPC channel did not terminate in time authority={}", channel.authority());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void onClosed(Status status) {
    receiver.end();
    end(
        new ConnectionLostException(
            status.isOk()
                ? "the server closed the connection"
                : "the connection ended: " + CallFailure.describe(status),
            status.getCause()));
  }

  private void onMessage(InputStream received) {
    try (InputStream message = received) {
      receiver.onMessage(message);
    } catch (IOException | RuntimeException e) {
      receiver.end();
      end(e);
      return;
    }
    call.request(1);
  }

  @Override
  void receiveBody(ByteBuf target) {
    receiver.receiveBody(target);
  }

  @Override
  void endReceiving() {
    receiver.end();
  }
}
