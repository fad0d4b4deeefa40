package io.sluice.client.opaque;

import io.sluice.client.read.ShuffleBlock;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Whole chunks of one map attempt in one partition. Blocks are verified before their first byte is
 * returned. Valid until the next call of {@link PartitionReader#next}; used by the thread that owns
 * the reader. Closing the stream has no effect.
 */
public final class PartitionStream extends InputStream {
  private final PartitionReader reader;
  private ShuffleBlock block;
  private ByteBuffer content;
  private boolean ended;

  PartitionStream(PartitionReader reader, ShuffleBlock first) {
    this.reader = reader;
    this.block = first;
    this.content = first.content();
  }

  /** Index of the partition, from 0. */
  public int partition() {
    return block.partition();
  }

  /** Id of the map attempt, one of the expected attempts. */
  public long mapAttempt() {
    return block.mapAttempt();
  }

  /** Index of the map task, from 0. */
  public int mapIndex() {
    return block.mapIndex();
  }

  @Override
  public int read() throws IOException {
    return ready() ? content.get() & 0xFF : -1;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    if (length == 0) {
      return 0;
    }
    if (!ready()) {
      return -1;
    }
    int count = Math.min(length, content.remaining());
    content.get(target, offset, count);
    return count;
  }

  /** Bytes of the current block that are not read yet. */
  @Override
  public int available() {
    return ended ? 0 : content.remaining();
  }

  void skipToEnd() throws IOException {
    while (ready()) {
      content.position(content.limit());
    }
  }

  private boolean ready() throws IOException {
    while (!ended && !content.hasRemaining()) {
      ShuffleBlock next = reader.following(block);
      if (next == null) {
        ended = true;
      } else {
        block = next;
        content = next.content();
      }
    }
    return !ended;
  }
}
