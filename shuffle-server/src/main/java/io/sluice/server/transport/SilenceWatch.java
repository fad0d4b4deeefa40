package io.sluice.server.transport;

import java.util.concurrent.TimeUnit;

/**
 * Tells when a connection has kept the server waiting too long. Looked at every so often: what
 * changed since the last look counts as new at this one, so a limit is exceeded by up to one
 * interval, never cut short. Owned by the connection's executor.
 */
final class SilenceWatch {
  private final DataTransportConfig config;
  private final long openedNanos;
  private long seenReceivedBytes;
  private long receivedNanos;
  private long seenSent;
  private long sentNanos;
  private boolean inBody;
  private long bodyBeganNanos;

  SilenceWatch(DataTransportConfig config, long nowNanos) {
    this.config = config;
    this.openedNanos = nowNanos;
    this.receivedNanos = nowNanos;
    this.sentNanos = nowNanos;
  }

  /**
   * A connection as it is now.
   *
   * @param greeted HELLO was said
   * @param receivedBytes so far
   * @param receivingHead part of a header or head has arrived, and is wanted
   * @param receivingBody a body has begun and is not whole
   * @param sent changes whenever bytes go out; 0 when none are due
   */
  record Look(
      boolean greeted,
      long receivedBytes,
      boolean receivingHead,
      boolean receivingBody,
      long sent) {}

  /** How often to look, in milliseconds. */
  long intervalMs() {
    return Math.max(1, Math.min(config.helloTimeoutMs(), config.stallTimeoutMs()) / 4);
  }

  /** What the server has waited too long for, or null. */
  String overdue(long nowNanos, Look now) {
    if (now.receivedBytes != seenReceivedBytes || !(now.receivingHead || now.receivingBody)) {
      seenReceivedBytes = now.receivedBytes;
      receivedNanos = nowNanos;
    }
    if (now.sent != seenSent || now.sent == 0) {
      seenSent = now.sent;
      sentNanos = nowNanos;
    }
    if (now.receivingBody != inBody) {
      inBody = now.receivingBody;
      bodyBeganNanos = nowNanos;
      receivedNanos = nowNanos;
    }
    if (!now.greeted && elapsed(openedNanos, nowNanos, config.helloTimeoutMs())) {
      return "HELLO";
    }
    if (elapsed(receivedNanos, nowNanos, config.stallTimeoutMs())) {
      return inBody ? "the rest of a body" : "the rest of a head";
    }
    if (inBody && elapsed(bodyBeganNanos, nowNanos, config.bodyTimeoutMs())) {
      return "the end of a body";
    }
    if (elapsed(sentNanos, nowNanos, config.stallTimeoutMs())) {
      return "the client to take its replies";
    }
    return null;
  }

  private static boolean elapsed(long sinceNanos, long nowNanos, int limitMs) {
    return nowNanos - sinceNanos >= TimeUnit.MILLISECONDS.toNanos(limitMs);
  }
}
