package io.sluice.transport.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.transport.protocol.FrameFormatException;
import io.sluice.transport.protocol.FrameHeader;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.protocol.FrameSink;
import io.sluice.transport.protocol.FrameSource;
import java.net.SocketAddress;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What moves the bytes of one {@link ServerConnection}, in the part that both transports share:
 * received frames go to the connection, its replies to a queue, and silence is noticed. Called on
 * the connection's executor, except where a method says otherwise.
 */
abstract class TransportConnection implements FrameSink {
  private static final Logger LOG = LoggerFactory.getLogger(TransportConnection.class);

  private final SocketAddress peer;
  private final TransportCounters counters;
  private final LongSupplier nanoTime;
  private final ServerConnection connection;
  private final SilenceWatch silence;
  private final ReplyQueue replies = new ReplyQueue();

  /**
   * @param peer whose place among the connections is given back at the end; null: not known
   */
  TransportConnection(
      SocketAddress peer,
      DataService service,
      DataTransportConfig config,
      TransportCounters counters,
      LongSupplier nanoTime) {
    this.peer = peer;
    this.counters = counters;
    this.nanoTime = nanoTime;
    this.connection = new ServerConnection(service, config, counters, this);
    this.silence = new SilenceWatch(config, nanoTime.getAsLong());
  }

  abstract ByteBufAllocator allocator();

  /** Where frames come from. */
  abstract FrameSource receiver();

  /**
   * Runs a task on the connection's executor, after what it does now. Called by any thread.
   *
   * @param otherwise called in its place, on any thread, if the connection has closed
   */
  abstract void execute(Runnable task, Runnable otherwise);

  /** Maximum number of bytes of a reply that are copied at a time; 0: they are sent as they lie. */
  abstract int copyBytes();

  /** Sends what is queued, as far as the channel accepts it. */
  abstract void sendQueued();

  /** A number that changes whenever bytes leave. */
  abstract long sendProgress();

  /** Takes nothing more from the client, and closes once what was sent has gone out. */
  abstract void closeAfterSending();

  /** Ends the connection now, since the server has waited too long for {@code what}. */
  abstract void closeOverdue(String what);

  /** Remote address, for logs. */
  final String peer() {
    return String.valueOf(peer);
  }

  final TransportCounters counters() {
    return counters;
  }

  final ServerConnection connection() {
    return connection;
  }

  final ReplyQueue replies() {
    return replies;
  }

  /** Limits of the frames that come next. */
  void limits(FrameLimits limits) {
    receiver().limits(limits);
  }

  /**
   * Sends a frame without a body.
   *
   * @param headerAndHead takes
   */
  final void send(ByteBuf headerAndHead) {
    replies.add(headerAndHead);
    sendQueued();
  }

  /**
   * Sends a frame without a body whose bytes are counted.
   *
   * @param headerAndHead takes
   * @param onLeft runs once, when every byte has left the process or was given up
   */
  final void send(ByteBuf headerAndHead, Runnable onLeft) {
    replies.add(headerAndHead, onLeft);
    sendQueued();
  }

  /**
   * Sends a frame with a body.
   *
   * @param headerAndHead takes
   * @param body takes: told of bytes that have left, closed once, when all have or were given up
   */
  final void send(ByteBuf headerAndHead, FetchedBytes body) {
    replies.add(headerAndHead, body);
    sendQueued();
  }

  /** Whether the replies that have not left leave room for more, so that they do not pile up. */
  final boolean isWritable() {
    return replies.isWritable();
  }

  /** How often to call {@link #checkSilence}, in milliseconds. */
  final long silenceCheckMs() {
    return silence.intervalMs();
  }

  /** Ends the connection if the server has waited too long for its client. */
  final void checkSilence() {
    FrameSource receiver = receiver();
    String overdue =
        silence.overdue(
            nanoTime.getAsLong(),
            connection.greeted(),
            new SilenceWatch.Received(
                receiver.receivedBytes(), receiver.receivedFrames(), receivedPart(receiver)),
            new SilenceWatch.Sent(!replies.isEmpty(), sendProgress(), replies.sentReplies()));
    if (overdue != null) {
      connection.onTimeout(overdue);
      closeOverdue(overdue);
    }
  }

  private static SilenceWatch.Part receivedPart(FrameSource receiver) {
    if (receiver.receivingBody()) {
      return SilenceWatch.Part.BODY;
    }
    return receiver.receivingHead() ? SilenceWatch.Part.HEAD : SilenceWatch.Part.NONE;
  }

  /** A task of the connection failed. A reply may be missing, so nothing can follow it. */
  final void logFailure(Throwable failure) {
    LOG.error("data connection failed peer={}", peer(), failure);
  }

  /** Part of a reply may have gone out, so nothing can follow it. */
  final void logUnsent(Throwable failure) {
    LOG.warn("a reply cannot be sent peer={} problem={}", peer(), failure.toString());
  }

  /** The connection has ended. Called once. */
  final void ended() {
    replies.close();
    connection.onClosed();
    counters.connectionClosed(peer);
  }

  // What the receiver brings.

  @Override
  public final boolean onHeader(FrameHeader header) {
    return connection.onHeader(header);
  }

  @Override
  public final void onHead(FrameHeader header, ByteBuf frame) {
    connection.onHead(header, frame);
  }

  @Override
  public final void onBody(FrameHeader header, ByteBuf body) {
    connection.onBody(header, body);
  }

  @Override
  public final void onMalformed(long requestId, FrameFormatException problem) {
    connection.onMalformed(requestId, problem);
  }
}
