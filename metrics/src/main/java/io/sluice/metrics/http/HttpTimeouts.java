package io.sluice.metrics.http;

/**
 * How long an HTTP port waits, in milliseconds.
 *
 * @param requestMs for a whole request, from its first byte, and for the first of a connection with
 *     its handshake
 * @param answerMs for what the pages say to it
 * @param replyMs for the peer to take all of that
 * @param idleMs for another request of the same connection
 * @param lingerMs for the peer to close, once it has been told that no further request is read
 */
public record HttpTimeouts(int requestMs, int answerMs, int replyMs, int idleMs, int lingerMs) {
  /** Those of every process. */
  public static final HttpTimeouts DEFAULT = new HttpTimeouts(5_000, 30_000, 5_000, 30_000, 2_000);
}
