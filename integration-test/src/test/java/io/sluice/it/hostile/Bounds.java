package io.sluice.it.hostile;

/**
 * Maximum effect of any attack. Sizes are bytes.
 *
 * <p>Heap is live heap, measured after a collection if needed. Direct memory is the sum of the
 * reservations of the JVM and of Netty.
 */
final class Bounds {
  private static final long MIB = 1L << 20;

  /** A quarter of the heap of conf/small. */
  static final long SERVER_HEAP = 256 * MIB;

  /** A quarter of the heap of conf/small. */
  static final long COORDINATOR_HEAP = 128 * MIB;

  /** Direct memory besides the memory for blocks: half of that in conf/small. */
  static final long SERVER_DIRECT_BEYOND_BLOCKS = 256 * MIB;

  static final long COORDINATOR_DIRECT = 128 * MIB;

  /** Memory besides heap and direct memory: code, threads, native libraries with TLS buffers. */
  static final long RESIDENT_BEYOND_JVM_LIMITS = 512 * MIB;

  /** Maximum growth of Netty's buffers in use after an attack. */
  static final long NETTY_LEFT = 8 * MIB;

  /** Maximum log lines of an attack, independent of its duration. */
  static final int LOG_LINES = 60;

  /** Maximum log lines per second of an attack: a few kinds of events with one line per second. */
  static final int LOG_LINES_PER_SECOND = 10;

  /** Maximum log lines per round of the honest job, which registers and removes a shuffle. */
  static final int LOG_LINES_PER_ROUND = 6;

  /** Maximum length of a log line, in characters. */
  static final int LOG_LINE_LENGTH = 2048;

  /** Rounds that the honest job must complete during the attack, and after it. */
  static final int HONEST_ROUNDS = 5;

  /**
   * Time limit for these rounds, in seconds. Less than the minute after which a server closes the
   * connection of a stalled peer: other peers must not wait for that.
   */
  static final int HONEST_SECONDS = 40;

  /** Time limit of all other waits, in seconds. */
  static final int WAIT_SECONDS = 60;

  private Bounds() {}
}
