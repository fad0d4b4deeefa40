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
 * Sends and receives the bytes of one {@link ServerConnection}; the part that both transports
 * share. Received frames are passed to the connection, its replies to a queue, and timeouts and the
 * token are checked. Called on the connection's executor unless documented otherwise.
 */
abstract class TransportConnection implements FrameSink {
  private static final Logger LOG = LoggerFactory.getLogger(TransportConnection.class);

  private final SocketAddress peer;
  private final TransportCounters counters;
  private final LongSupplier nanoTime;
  private final ServerConnection connection;
  private final ConnectionTimeouts timeouts;
  private final ReplyQueue replies = new ReplyQueue();

  /**
   * @param peer remote address, counted until the connection ends; null: unknown
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
    this.timeouts = new ConnectionTimeouts(config, nanoTime.getAsLong());
  }

  abstract ByteBufAllocator allocator();

  /** The source of received frames. */
  abstract FrameSource receiver();

  /**
   * Runs a task on the connection's executor, after its current task. Called by any thread.
   *
   * @param otherwise called instead, on any thread, if the connection has closed
   */
  abstract void execute(Runnable task, Runnable otherwise);

  /**
   * Maximum number of bytes of a reply that are copied at a time; 0: replies are sent without a
   * copy.
   */
  abstract int copyBytes();

  /** Sends queued replies, as far as the channel accepts them. */
  abstract void sendQueued();

  /** A number that changes whenever bytes are sent. */
  abstract long sendProgress();

  /** Ignores later frames of the client, and closes the connection when all replies are sent. */
  abstract void closeAfterSending();

  /**
   * Ends the connection immediately, because the timeout of waiting for {@code what} has expired.
   */
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

  /** Sets the limits of later frames. */
  void limits(FrameLimits limits) {
    receiver().limits(limits);
  }

  /**
   * Sends a frame without a body.
   *
   * @param headerAndHead takes ownership
   */
  final void send(ByteBuf headerAndHead) {
    replies.add(headerAndHead);
    sendQueued();
  }

  /**
   * Sends a frame without a body whose bytes a memory budget counts.
   *
   * @param headerAndHead takes ownership
   * @param onSent runs once, when every byte was sent or discarded
   */
  final void send(ByteBuf headerAndHead, Runnable onSent) {
    replies.add(headerAndHead, onSent);
    sendQueued();
  }

  /**
   * Sends a frame with a body.
   *
   * @param headerAndHead takes ownership
   * @param body takes ownership; notified of sent bytes, closed once when all bytes were sent or
   *     discarded
   */
  final void send(ByteBuf headerAndHead, FetchedBytes body) {
    replies.add(headerAndHead, body);
    sendQueued();
  }

  /** Whether more replies may be queued, which bounds the number of unsent replies. */
  final boolean isWritable() {
    return replies.isWritable();
  }

  /** Interval of calls of {@link #check}, in milliseconds. */
  final long checkIntervalMs() {
    return timeouts.intervalMs();
  }

  /** Ends the connection if its token is no longer valid, or a timeout has expired. */
  final void check() {
    connection.checkToken();
    FrameSource receiver = receiver();
    String overdue =
        timeouts.overdue(
            nanoTime.getAsLong(),
            connection.isHandshakeDone(),
            new ConnectionTimeouts.Received(
                receiver.receivedBytes(), receiver.receivedFrames(), receivedPart(receiver)),
            new ConnectionTimeouts.Sent(!replies.isEmpty(), sendProgress(), replies.sentReplies()));
    if (overdue != null) {
      connection.onTimeout(overdue);
      closeOverdue(overdue);
    }
  }

  private static ConnectionTimeouts.Part receivedPart(FrameSource receiver) {
    if (receiver.receivingBody()) {
      return ConnectionTimeouts.Part.BODY;
    }
    return receiver.receivingHead() ? ConnectionTimeouts.Part.HEAD : ConnectionTimeouts.Part.NONE;
  }

  /**
   * Logs a failed task of the connection. A reply may be missing, so the connection must be closed.
   */
  final void logFailure(Throwable failure) {
    LOG.error("internal error on a data connection, closing it peer={}", peer(), failure);
  }

  /**
   * Logs a reply that cannot be sent. It may be sent partially, so the connection must be closed.
   */
  final void logUnsent(Throwable failure) {
    LOG.warn(
        "cannot send a reply, closing the connection peer={} reason=\"{}\"",
        peer(),
        failure.toString());
  }

  /** The connection has ended. Called once. */
  final void ended() {
    replies.close();
    connection.onClosed();
    counters.connectionClosed(peer);
  }

  // Calls of the receiver.

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
