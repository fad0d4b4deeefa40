package io.sluice.transport.server;

import java.util.concurrent.TimeUnit;

/**
 * Timeouts of a server connection: of the handshake, of receiving the rest of a head or body, and
 * of sending replies. Checked periodically: a change since the last check restarts a timeout at the
 * current check, so that a timeout expires up to one interval late, never early. Confined to the
 * connection's executor.
 */
final class ConnectionTimeouts {
  private final DataTransportConfig config;
  private final long openedNanos;

  // Time of the last received byte, and of the first byte of the current head or body.
  private Received received = new Received(0, 0, Part.NONE);
  private long receivedNanos;
  private long partBeganNanos;

  // Time of the last sent byte, and of the first byte of the current reply.
  private Sent sent = new Sent(false, 0, 0);
  private long sentNanos;
  private long replyBeganNanos;

  ConnectionTimeouts(DataTransportConfig config, long nowNanos) {
    this.config = config;
    this.openedNanos = nowNanos;
    this.receivedNanos = nowNanos;
    this.sentNanos = nowNanos;
  }

  /** The partially received part of a frame whose rest is being read. */
  enum Part {
    NONE,
    HEAD,
    BODY
  }

  /**
   * Progress of receiving.
   *
   * @param bytes number of received bytes
   * @param frames number of completely received frames
   * @param part part being received
   */
  record Received(long bytes, long frames, Part part) {}

  /**
   * Progress of sending.
   *
   * @param due whether there are unsent replies
   * @param progress a number that changes whenever bytes are sent
   * @param replies number of completely sent replies
   */
  record Sent(boolean due, long progress, long replies) {}

  /** Interval of checks, in milliseconds. */
  long intervalMs() {
    return Math.max(1, Math.min(config.helloTimeoutMs(), config.stallTimeoutMs()) / 4);
  }

  /**
   * The event whose timeout has expired, or null.
   *
   * @param handshakeDone whether the handshake is complete
   */
  String overdue(long nowNanos, boolean handshakeDone, Received nowReceived, Sent nowSent) {
    update(nowNanos, nowReceived);
    update(nowNanos, nowSent);
    if (!handshakeDone && elapsed(openedNanos, nowNanos, config.helloTimeoutMs())) {
      return "HELLO";
    }
    if (received.part != Part.NONE) {
      String part = received.part == Part.HEAD ? "a head" : "a body";
      if (elapsed(receivedNanos, nowNanos, config.stallTimeoutMs())) {
        return "the rest of " + part;
      }
      if (elapsed(partBeganNanos, nowNanos, config.bodyTimeoutMs())) {
        return "the end of " + part;
      }
    }
    if (sent.due) {
      if (elapsed(sentNanos, nowNanos, config.stallTimeoutMs())) {
        return "the client to read its replies";
      }
      if (elapsed(replyBeganNanos, nowNanos, config.bodyTimeoutMs())) {
        return "the client to read a complete reply";
      }
    }
    return null;
  }

  private void update(long nowNanos, Received now) {
    boolean samePart = now.part == received.part && now.frames == received.frames;
    if (!samePart) {
      partBeganNanos = nowNanos;
    }
    if (!samePart || now.part == Part.NONE || now.bytes != received.bytes) {
      receivedNanos = nowNanos;
    }
    received = now;
  }

  private void update(long nowNanos, Sent now) {
    boolean sameReply = now.due && sent.due && now.replies == sent.replies;
    if (!sameReply) {
      replyBeganNanos = nowNanos;
    }
    if (!sameReply || now.progress != sent.progress) {
      sentNanos = nowNanos;
    }
    sent = now;
  }

  private static boolean elapsed(long sinceNanos, long nowNanos, int limitMs) {
    return nowNanos - sinceNanos >= TimeUnit.MILLISECONDS.toNanos(limitMs);
  }
}
