package io.sluice.client.push;

import java.io.IOException;

/**
 * Pushes the output of one map attempt to shuffle servers. Owned by the task thread. Only that
 * thread waits, and every wait ends at a deadline or by interruption.
 *
 * <p>The task adds batches of records. Batches are compressed into the open frame of their
 * partition's servers; full frames are sent while the task continues. Memory is limited to the
 * in-flight bytes plus four full frames, for any number of partitions and servers. Readers get the
 * batches of a partition whole, and in the order in which they were added unless they allow any
 * order.
 *
 * <pre>{@code
 * try (PushSession session = client.pushSession(assignment, attempt)) {
 *   session.add(partition, bytes, 0, length, records);   // any order of partitions; ascending is best
 *   session.beginFinalPass();                            // optional, saves marks
 *   session.add(...);
 *   session.finish();                                    // every block is acknowledged
 * }
 * }</pre>
 */
public interface PushSession extends AutoCloseable {
  /**
   * Adds a batch of whole records to a partition. Readers get it back as one {@link
   * io.sluice.client.read.ShuffleBlock}, however large it is.
   *
   * @param bytes borrows: serialized records, uncompressed
   * @param length at least 1
   * @param records number of records in these bytes
   * @throws PushFailedException if the output can no longer be completed; the session cannot be
   *     used afterwards
   * @throws java.io.InterruptedIOException if the thread was interrupted; its flag stays set
   */
  void add(int partition, byte[] bytes, int offset, int length, int records) throws IOException;

  /**
   * Declares that partitions ascend from now on: a partition gets no more batches after a batch of
   * a higher one. The last data block of a partition then carries the LAST flag, which saves an
   * empty block at the end. Frames are sent as soon as all their partitions are complete.
   */
  void beginFinalPass();

  /**
   * Marks the end of every partition that has blocks, and waits until all blocks are acknowledged
   * or in local output.
   *
   * @throws PushFailedException if too few servers accepted a block within the retry period, and
   *     there is no local output
   * @throws IOException if local output could not be written
   * @throws java.io.InterruptedIOException if the thread was interrupted; its flag stays set
   */
  void finish() throws IOException;

  /**
   * Length of every partition by the formula of the {@link BlockSizes}, without block headers. It
   * is 0 only for partitions without batches. Final after {@link #finish}.
   */
  long[] partitionLengths();

  PushCounters counters();

  /** Direct memory of all open and unacknowledged frames, in bytes. */
  default long bufferedBytes() {
    return 0;
  }

  /**
   * Waits until the unacknowledged frames use at most {@code bytes} of memory. For engines that run
   * short of memory.
   *
   * @throws IOException as {@link #add}
   */
  default void awaitUnacknowledgedAtMost(long bytes) throws IOException {}

  /** Discards all unacknowledged frames and frees all memory. Never waits. Idempotent. */
  @Override
  void close();
}
