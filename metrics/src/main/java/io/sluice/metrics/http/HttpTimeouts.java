package io.sluice.metrics.http;

/**
 * Timeouts of an HTTP port, in milliseconds.
 *
 * @param requestMs timeout of receiving a request from its first byte; of the first request
 *     including the TLS handshake
 * @param answerMs timeout of creating the answer
 * @param replyMs timeout of sending the answer
 * @param idleMs timeout of waiting for the next request of a connection
 * @param lingerMs timeout of waiting for the peer to close a connection after its last answer
 */
public record HttpTimeouts(int requestMs, int answerMs, int replyMs, int idleMs, int lingerMs) {
  /** Timeouts of every process. */
  public static final HttpTimeouts DEFAULT = new HttpTimeouts(5_000, 30_000, 5_000, 30_000, 2_000);
}
