package io.sluice.storage.hadoop;

import io.sluice.server.remote.spi.RemoteOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;

/** One file that is written sequentially. Confined to one thread. */
final class HadoopOutput implements RemoteOutput {
  /**
   * Hadoop accepts only arrays: bytes of direct buffers are copied through an array of this length.
   */
  private static final int COPY_BYTES = 256 << 10;

  private final FileSystem fileSystem;
  private final Path file;
  private final FSDataOutputStream stream;
  private byte[] copy = new byte[0];
  private boolean ended;

  /**
   * @param fileSystem borrowed
   * @param stream takes ownership
   */
  HadoopOutput(FileSystem fileSystem, Path file, FSDataOutputStream stream) {
    this.fileSystem = fileSystem;
    this.file = file;
    this.stream = stream;
  }

  @Override
  public void write(ByteBuffer source) throws IOException {
    try {
      if (source.hasArray()) {
        stream.write(source.array(), source.arrayOffset() + source.position(), source.remaining());
        source.position(source.limit());
        return;
      }
      if (copy.length == 0) {
        copy = new byte[COPY_BYTES];
      }
      while (source.hasRemaining()) {
        int count = Math.min(copy.length, source.remaining());
        source.get(copy, 0, count);
        stream.write(copy, 0, count);
      }
    } catch (IOException e) {
      throw HadoopFailure.failure("cannot write " + file, e);
    }
  }

  @Override
  public void complete() throws IOException {
    try {
      stream.close();
    } catch (IOException e) {
      throw HadoopFailure.failure("cannot complete " + file, e);
    }
    ended = true;
  }

  @Override
  public void close() throws IOException {
    if (ended) {
      return;
    }
    ended = true;
    // Closing completes the file; on an object store it uploads all written bytes first. Where an
    // upload can be aborted, this is done instead.
    if (stream.hasCapability(StreamCapabilities.ABORTABLE_STREAM)) {
      stream.abort();
      return;
    }
    try {
      stream.close();
    } catch (IOException e) {
      // The file is deleted next; a failure of the deletion is reported to the caller.
    }
    try {
      fileSystem.delete(file, false);
    } catch (IOException e) {
      throw HadoopFailure.failure("cannot delete the unfinished file " + file, e);
    }
  }
}
