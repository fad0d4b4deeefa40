package io.sluice.server.cluster;

/**
 * How much a move may take of a server that still serves.
 *
 * @param copies shuffles that are copied at the same time; each holds one frame in memory
 * @param bytesPerSecond of all copies together; 0: no bound
 */
public record MoveConfig(int copies, long bytesPerSecond) {
  /** Most bytes that are read and sent at once. */
  static final int FRAME_BYTES = 2 << 20;
}
