package io.sluice.client.push;

import java.io.IOException;

/**
 * The output of one map attempt on its way to the servers. Owned by the task thread; only that
 * thread ever waits here, and every wait ends by a deadline or by interruption.
 *
 * <p>Contents are compressed, framed and checksummed into the frame of their partition's server;
 * full frames are sent while the task goes on. Memory is bounded by what may be in flight plus four
 * full frames, whatever the number of partitions and servers. Contents of one partition are read
 * back in the order in which they were added.
 *
 * <pre>{@code
 * try (PushSession session = client.pushSession(assignment, attempt)) {
 *   session.add(partition, bytes, 0, length, records);   // any order of partitions; ascending is best
 *   session.beginFinalPass();                            // optional, saves marks
 *   session.add(...);
 *   session.finish();                                    // everything is safe at the servers
 * }
 * }</pre>
 */
public interface PushSession extends AutoCloseable {
  /**
   * Adds whole records of a partition; they will be read back as one content, however large.
   *
   * @param bytes borrows: serialized records, uncompressed
   * @param length at least 1
   * @param records records among these bytes
   * @throws PushFailedException if the output can no longer become whole; the session is of no more
   *     use
   * @throws java.io.InterruptedIOException if the thread was interrupted; its flag stays set
   */
  void add(int partition, byte[] bytes, int offset, int length, int records) throws IOException;

  /**
   * Says that from now on partitions come in ascending order and each gets nothing more once a
   * higher one, or the end, has come. With it a partition's last block can say so itself, and a
   * server's frame leaves as soon as its partitions have passed.
   */
  void beginFinalPass();

  /**
   * Marks the end of every partition that got something, and waits until all of it is acknowledged,
   * or safe in local output.
   *
   * @throws PushFailedException if a server did not take it within the configured patience, and
   *     there was no other way
   * @throws IOException if local output could not be written
   * @throws java.io.InterruptedIOException if the thread was interrupted; its flag stays set
   */
  void finish() throws IOException;

  /**
   * Length of every partition as its {@link BlockSizes} count it, without headers of blocks;
   * exactly 0 for one that got nothing, and for no other. Final after {@link #finish}.
   */
  long[] partitionLengths();

  PushCounters counters();

  /** Direct memory of all frames: open ones and those on their way. */
  default long heldBytes() {
    return 0;
  }

  /**
   * Waits until frames on their way take no more than that, as when memory is short.
   *
   * @throws IOException as {@link #add}
   */
  default void awaitHeldAtMost(long bytes) throws IOException {}

  /** Gives up what has not been acknowledged and frees all memory. Never waits. Idempotent. */
  @Override
  void close();
}
