package io.sluice.client.opaque;

import io.sluice.client.push.PushCounters;
import io.sluice.client.push.PushSession;
import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;

/**
 * Pushes the output of one map attempt as chunks: bytes of one partition that an engine has already
 * serialized, and normally compressed. Small chunks are gathered into blocks of useful size. A
 * reader gets each chunk whole, and the chunks of a partition in the order of {@link #push}, unless
 * its request allows any order.
 *
 * <p>Owned by one task thread. Only that thread waits, and every wait ends at a deadline or by
 * interruption. Memory on the heap: the gathered chunks, at most {@code gatherBytes} and one chunk;
 * off the heap: that of the push session.
 *
 * <pre>{@code
 * try (PartitionPusher pusher = client.partitionPusher(assignment, attempt, options)) {
 *   pusher.push(partition, bytes, 0, length);   // any order of partitions
 *   pusher.finish();                            // every chunk is acknowledged
 *   long[] lengths = pusher.partitionLengths(); // for the engine's map status
 * }
 * }</pre>
 */
public final class PartitionPusher implements AutoCloseable {
  private static final int FIRST_CAPACITY = 4 << 10;

  private final PushSession session;
  private final int blockBytes;
  private final long gatherBytes;
  private final Gathered[] partitions;
  private long gatheredBytes;
  private boolean ended;

  /** Chunks of one partition that are not yet added to the session. */
  private static final class Gathered {
    private byte[] bytes = new byte[FIRST_CAPACITY];
    private int length;
    private int chunks;

    void add(byte[] chunk, int offset, int count) {
      if (bytes.length - length < count) {
        bytes = Arrays.copyOf(bytes, Math.max(length + count, 2 * length));
      }
      System.arraycopy(chunk, offset, bytes, length, count);
      length += count;
      chunks++;
    }
  }

  /**
   * Creates a pusher over a session, with which nothing was added yet. Engines call {@code
   * SluiceClient.partitionPusher} instead.
   *
   * @param session takes: closed with the pusher
   * @param partitionCount number of partitions of the shuffle
   * @param blockBytes bytes of a block at which it is added to the session, at least 1; a larger
   *     chunk becomes a block of its own
   * @param gatherBytes maximum bytes of gathered chunks of all partitions together, at least 1
   */
  public PartitionPusher(
      PushSession session, int partitionCount, int blockBytes, long gatherBytes) {
    if (blockBytes < 1 || gatherBytes < 1) {
      throw new IllegalArgumentException(
          "invalid sizes of a pusher: expected at least 1 byte, found blockBytes="
              + blockBytes
              + " gatherBytes="
              + gatherBytes);
    }
    this.session = session;
    this.blockBytes = blockBytes;
    this.gatherBytes = gatherBytes;
    this.partitions = new Gathered[partitionCount];
  }

  /**
   * Adds a chunk to a partition. It may be sent at once or later.
   *
   * @param partition index of the partition, from 0
   * @param bytes borrows: the chunk
   * @param length at least 1
   * @throws io.sluice.client.push.PushFailedException if the output can no longer be completed; the
   *     pusher cannot be used afterwards
   * @throws IllegalStateException after {@link #finish} or {@link #close}
   * @throws java.io.InterruptedIOException if the thread was interrupted; its flag stays set
   */
  public void push(int partition, byte[] bytes, int offset, int length) throws IOException {
    requireOpen();
    Objects.checkFromIndexSize(offset, length, bytes.length);
    if (partition < 0 || partition >= partitions.length || length < 1) {
      throw new IllegalArgumentException(
          "invalid chunk: expected a partition below "
              + partitions.length
              + " and at least 1 byte, found partition="
              + partition
              + " length="
              + length);
    }
    Gathered gathered = partitions[partition];
    if (gathered != null && gathered.length + (long) length > blockBytes) {
      add(partition);
      gathered = null;
    }
    if (length >= blockBytes) {
      session.add(partition, bytes, offset, length, 1);
      return;
    }
    if (gathered == null) {
      gathered = new Gathered();
      partitions[partition] = gathered;
    }
    gathered.add(bytes, offset, length);
    gatheredBytes += length;
    if (gatheredBytes >= gatherBytes) {
      addAll();
    }
  }

  private void requireOpen() {
    if (ended) {
      throw new IllegalStateException("the pusher has ended: finish or close was called");
    }
  }

  private void addAll() throws IOException {
    for (int partition = 0; partition < partitions.length; partition++) {
      add(partition);
    }
  }

  private void add(int partition) throws IOException {
    Gathered gathered = partitions[partition];
    if (gathered != null) {
      partitions[partition] = null;
      gatheredBytes -= gathered.length;
      session.add(partition, gathered.bytes, 0, gathered.length, gathered.chunks);
    }
  }

  /**
   * Sends all gathered chunks, marks the end of every partition that has chunks, and waits until
   * all blocks are acknowledged or in local output.
   *
   * @throws io.sluice.client.push.PushFailedException if too few servers accepted a block within
   *     the retry period, and there is no local output
   * @throws IOException if local output could not be written
   * @throws java.io.InterruptedIOException if the thread was interrupted; its flag stays set
   */
  public void finish() throws IOException {
    requireOpen();
    ended = true;
    session.beginFinalPass();
    addAll();
    session.finish();
  }

  /**
   * Bytes of every partition, as pushed; with a payload transform, as transformed. It is 0 only for
   * partitions without chunks. Final after {@link #finish}.
   */
  public long[] partitionLengths() {
    return session.partitionLengths();
  }

  /** Counters of the push session; a chunk counts as one record. */
  public PushCounters counters() {
    return session.counters();
  }

  /** Discards all unacknowledged chunks and frees all memory. Never waits. Idempotent. */
  @Override
  public void close() {
    ended = true;
    Arrays.fill(partitions, null);
    gatheredBytes = 0;
    session.close();
  }
}
