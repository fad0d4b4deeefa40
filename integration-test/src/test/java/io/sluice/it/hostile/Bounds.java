package io.sluice.it.hostile;

/**
 * Limits of what an attack may cost, the same for all attacks. Sizes are bytes.
 *
 * <p>Heap is what is alive, after a collection if need be. Direct memory is the sum of what the JVM
 * and Netty have reserved.
 */
final class Bounds {
  private static final long MIB = 1L << 20;

  /** A quarter of the heap of conf/small. */
  static final long SERVER_HEAP = 256 * MIB;

  /** A quarter of the heap of conf/small. */
  static final long COORDINATOR_HEAP = 128 * MIB;

  /** Beyond the memory for blocks: half of what conf/small leaves there. */
  static final long SERVER_DIRECT_BEYOND_BLOCKS = 256 * MIB;

  static final long COORDINATOR_DIRECT = 128 * MIB;

  /** Beyond heap and direct memory: code, threads, native libraries with their buffers of TLS. */
  static final long RESIDENT_BEYOND_JVM_LIMITS = 512 * MIB;

  /** Of Netty's buffers in use after an attack beyond those before it. */
  static final long NETTY_LEFT = 8 * MIB;

  /** Lines of the log that an attack may cost once, whatever it does. */
  static final int LOG_LINES = 60;

  /** Lines of the log for each second of an attack: some kinds of events at one line a second. */
  static final int LOG_LINES_PER_SECOND = 10;

  /** Lines of the log for each round of the honest job, which registers and ends a shuffle. */
  static final int LOG_LINES_PER_ROUND = 6;

  /** Characters of a line of the log. */
  static final int LOG_LINE_LENGTH = 2048;

  /** Rounds that the honest job gets done while the attack goes on, and after it. */
  static final int HONEST_ROUNDS = 5;

  /**
   * Longest time for these rounds, seconds. Less than the minute after which a server gives up a
   * peer that stalls: nobody else waits for that.
   */
  static final int HONEST_SECONDS = 40;

  /** Longest wait for anything else, seconds. */
  static final int WAIT_SECONDS = 60;

  private Bounds() {}
}
