package io.sluice.transport.client;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.sluice.transport.protocol.ChannelFrameSink;
import io.sluice.transport.protocol.FrameReceiver;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * A connection over framed TCP. Methods of {@link ChannelFrameSink} run on the channel's event
 * loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failed write or close reaches onClosed.
final class NettyConnection extends FramedConnection implements ChannelFrameSink {
  private final Channel channel;
  private final FrameReceiver receiver;
  private final Queue<Outgoing> outgoing = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean sending = new AtomicBoolean();
  private Future<?> overdueCheck;

  private record Outgoing(ByteBuf headerAndHead, ByteBuf body) {
    void release() {
      headerAndHead.release();
      if (body != null) {
        body.release();
      }
    }
  }

  NettyConnection(String server, Channel channel, TransportConfig config, LongSupplier nanoTime) {
    super(server, channel.alloc(), config, nanoTime);
    this.channel = channel;
    this.receiver = new FrameReceiver(config.limits(), this);
  }

  FrameReceiver receiver() {
    return receiver;
  }

  /** Starts the checks of request timeouts. Called on the event loop. */
  void start() {
    long intervalMs = config().overdueCheckMs();
    overdueCheck =
        channel
            .eventLoop()
            .scheduleWithFixedDelay(
                this::checkOverdue, intervalMs, intervalMs, TimeUnit.MILLISECONDS);
  }

  @Override
  void send(ByteBuf headerAndHead, ByteBuf body) {
    outgoing.add(new Outgoing(headerAndHead, body));
    // One task sends the frames queued by several threads, with one flush.
    if (sending.compareAndSet(false, true)) {
      try {
        channel.eventLoop().execute(this::sendQueued);
      } catch (RejectedExecutionException e) {
        // The event loops have ended, and have closed this connection.
        requests().failAll(e);
        sending.set(false);
        dropQueued();
      }
    }
  }

  private void sendQueued() {
    sending.set(false);
    if (!channel.isActive()) {
      dropQueued();
      return;
    }
    for (Outgoing frame = outgoing.poll(); frame != null; frame = outgoing.poll()) {
      channel.write(frame.headerAndHead, channel.voidPromise());
      if (frame.body != null) {
        channel.write(frame.body, channel.voidPromise());
      }
    }
    channel.flush();
  }

  private void dropQueued() {
    for (Outgoing frame = outgoing.poll(); frame != null; frame = outgoing.poll()) {
      frame.release();
    }
  }

  @Override
  public boolean isOpen() {
    return channel.isActive() && super.isOpen();
  }

  @Override
  void end(Throwable cause) {
    requests().failAll(cause);
    channel.close();
  }

  @Override
  void receiveBody(ByteBuf target) {
    receiver.receiveBody(target);
  }

  @Override
  void endReceiving() {
    receiver.end();
  }

  @Override
  public void onReadComplete() {
    // Requests are flushed when they are written.
  }

  @Override
  public void onClosed(Throwable causeOrNull) {
    if (overdueCheck != null) {
      overdueCheck.cancel(false);
    }
    requests()
        .failAll(
            causeOrNull != null
                ? causeOrNull
                : new ConnectionLostException("the server closed the connection"));
    dropQueued();
  }
}
