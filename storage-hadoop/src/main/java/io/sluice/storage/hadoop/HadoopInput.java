package io.sluice.storage.hadoop;

import io.sluice.server.remote.spi.RemoteInput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;

/**
 * Positioned reads of one file. Hadoop's positioned reads are thread-safe. Reads into a byte buffer
 * are used if the stream supports them, because they save a copy.
 */
final class HadoopInput implements RemoteInput {
  /** Maximum number of bytes copied through the heap at a time. */
  private static final int COPY_BYTES = 1 << 20;

  private final Path file;
  private final long length;
  private final FSDataInputStream stream;
  private final boolean readsBuffers;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * @param stream takes ownership
   */
  HadoopInput(Path file, long length, FSDataInputStream stream) {
    this.file = file;
    this.length = length;
    this.stream = stream;
    this.readsBuffers = stream.hasCapability(StreamCapabilities.PREADBYTEBUFFER);
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public int read(long position, ByteBuffer target) throws IOException {
    try {
      if (readsBuffers) {
        return stream.read(position, target);
      }
      if (target.hasArray()) {
        int count =
            stream.read(
                position,
                target.array(),
                target.arrayOffset() + target.position(),
                target.remaining());
        if (count > 0) {
          target.position(target.position() + count);
        }
        return count;
      }
      byte[] copy = new byte[Math.min(COPY_BYTES, target.remaining())];
      int count = stream.read(position, copy, 0, copy.length);
      if (count > 0) {
        target.put(copy, 0, count);
      }
      return count;
    } catch (IOException e) {
      throw HadoopFailure.failure("cannot read " + file + " at offset " + position, e);
    }
  }

  @Override
  public void close() throws IOException {
    if (closed.compareAndSet(false, true)) {
      stream.close();
    }
  }
}
