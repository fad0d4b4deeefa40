package io.sluice.transport.server;

import java.util.concurrent.TimeUnit;

/**
 * Decides when a connection has kept the server waiting too long: for HELLO, for the rest of a head
 * or body, or for the client to receive its replies. Looked at periodically: what changed since the
 * last look counts as new at this one, so a limit is exceeded by up to one interval, never cut
 * short. Owned by the connection's executor.
 */
final class SilenceWatch {
  private final DataTransportConfig config;
  private final long openedNanos;

  // Since when nothing has arrived, and since when the same part of a frame is being received.
  private Received received = new Received(0, 0, Part.NONE);
  private long receivedNanos;
  private long partBeganNanos;

  // Since when nothing has left, and since when the same reply is due.
  private Sent sent = new Sent(false, 0, 0);
  private long sentNanos;
  private long replyBeganNanos;

  SilenceWatch(DataTransportConfig config, long nowNanos) {
    this.config = config;
    this.openedNanos = nowNanos;
    this.receivedNanos = nowNanos;
    this.sentNanos = nowNanos;
  }

  /** The part of a frame that has begun to arrive, and whose rest is wanted. */
  enum Part {
    NONE,
    HEAD,
    BODY
  }

  /**
   * What has been received.
   *
   * @param bytes so far
   * @param frames received to their end so far
   * @param part that is being received
   */
  record Received(long bytes, long frames, Part part) {}

  /**
   * What has been sent.
   *
   * @param due replies wait to leave
   * @param progress changes whenever bytes leave
   * @param replies that have left as a whole so far
   */
  record Sent(boolean due, long progress, long replies) {}

  /** How often to look, in milliseconds. */
  long intervalMs() {
    return Math.max(1, Math.min(config.helloTimeoutMs(), config.stallTimeoutMs()) / 4);
  }

  /**
   * What the server has waited too long for, or null.
   *
   * @param greeted whether HELLO was said
   */
  String overdue(long nowNanos, boolean greeted, Received nowReceived, Sent nowSent) {
    look(nowNanos, nowReceived);
    look(nowNanos, nowSent);
    if (!greeted && elapsed(openedNanos, nowNanos, config.helloTimeoutMs())) {
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
        return "the client to take its replies";
      }
      if (elapsed(replyBeganNanos, nowNanos, config.bodyTimeoutMs())) {
        return "the client to take a whole reply";
      }
    }
    return null;
  }

  private void look(long nowNanos, Received now) {
    boolean samePart = now.part == received.part && now.frames == received.frames;
    if (!samePart) {
      partBeganNanos = nowNanos;
    }
    if (!samePart || now.part == Part.NONE || now.bytes != received.bytes) {
      receivedNanos = nowNanos;
    }
    received = now;
  }

  private void look(long nowNanos, Sent now) {
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
