package io.sluice.client.opaque;

import io.sluice.client.read.ReadCounters;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import java.io.IOException;

/**
 * Reads chunks that map attempts pushed with a {@link PartitionPusher}: a range of partitions, of
 * all map tasks or a range of them, as the request of the read defines. Each stream has bytes of
 * one attempt in one partition. There can be several streams of the same attempt and partition. A
 * chunk is never divided between two streams; the streams of one attempt and partition, one after
 * the other, have its chunks in the order of the pushes, unless the request allows any order.
 *
 * <p>Owned by one task thread. Only that thread waits, and every wait ends at a deadline or by
 * interruption. Memory is limited by the slices of the read.
 *
 * <pre>{@code
 * try (PartitionReader reader = client.partitionReader(request, null)) {
 *   for (PartitionStream stream = reader.next(); stream != null; stream = reader.next()) {
 *     decode(stream);
 *   }
 * }
 * }</pre>
 */
public final class PartitionReader implements AutoCloseable {
  private final ShuffleRead read;
  private PartitionStream current;
  private ShuffleBlock pending;

  /**
   * Creates a reader over a read that was not used yet. Engines call {@code
   * SluiceClient.partitionReader} instead.
   *
   * @param read takes: closed with the reader
   */
  public PartitionReader(ShuffleRead read) {
    this.read = read;
  }

  /**
   * Returns the next stream. The rest of the stream before it is skipped.
   *
   * @return lends until the next call; null after the last chunk, when every expected attempt is
   *     verified to be complete
   * @throws io.sluice.client.read.BlocksMissingException if an expected block is not available at
   *     any server nor in local output, or every copy of it is damaged
   * @throws java.io.InterruptedIOException if the thread was interrupted; its flag stays set
   */
  public PartitionStream next() throws IOException {
    if (current != null) {
      current.skipToEnd();
    }
    ShuffleBlock first = pending == null ? read.next() : pending;
    pending = null;
    current = first == null ? null : new PartitionStream(this, first);
    return current;
  }

  /** The next block if it continues the stream of {@code block}, or null. */
  ShuffleBlock following(ShuffleBlock block) throws IOException {
    ShuffleBlock next = read.next();
    if (next != null
        && next.partition() == block.partition()
        && next.mapAttempt() == block.mapAttempt()) {
      return next;
    }
    pending = next;
    return null;
  }

  /** Counters of the read; a chunk counts as one record. */
  public ReadCounters counters() {
    return read.counters();
  }

  /** Frees all resources, at any time. Never waits. Idempotent. */
  @Override
  public void close() {
    read.close();
  }
}
