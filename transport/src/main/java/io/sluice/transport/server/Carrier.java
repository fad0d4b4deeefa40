package io.sluice.transport.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.transport.frame.FrameLimits;
import io.sluice.transport.service.FetchedBytes;

/** What moves the bytes of one {@link ServerConnection}. Called on the connection's executor. */
interface Carrier {
  ByteBufAllocator allocator();

  /** Remote address, for logs. */
  String peer();

  /**
   * Runs a task on the connection's executor, after what it does now. Called by any thread.
   *
   * @param otherwise called in its place, on any thread, if the connection has closed
   */
  void execute(Runnable task, Runnable otherwise);

  /** Maximum number of bytes of a reply that are copied at a time; 0: they are sent as they lie. */
  int copyBytes();

  /** Limits of the frames that come next. */
  void limits(FrameLimits limits);

  /**
   * Sends a frame without a body.
   *
   * @param headerAndHead takes
   */
  void send(ByteBuf headerAndHead);

  /**
   * Sends a frame without a body whose bytes are counted.
   *
   * @param headerAndHead takes
   * @param onLeft runs once, when every byte has left the process or was given up
   */
  void send(ByteBuf headerAndHead, Runnable onLeft);

  /**
   * Sends a frame with a body.
   *
   * @param headerAndHead takes
   * @param body takes: told of bytes that have left, closed once, when all have or were given up
   */
  void send(ByteBuf headerAndHead, FetchedBytes body);

  /** Whether the replies that have not left leave room for more, so that they do not pile up. */
  boolean isWritable();

  /** Receives the head of the frame whose header was handed over last. */
  void receiveHead();

  /**
   * Goes on with the frame whose head was handed over last: its body goes to {@code target}.
   *
   * @param target takes
   */
  void receiveBody(ByteBuf target);

  /** Goes on with the frame whose head was handed over last: its body is dropped. */
  void discardBody();

  /** Whether further frames are wanted. One that has begun is received to its end. */
  void reading(boolean wanted);

  /** Takes nothing more from the client, and closes once what was sent has gone out. */
  void closeAfterSending();
}
