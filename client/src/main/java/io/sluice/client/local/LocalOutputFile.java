package io.sluice.client.local;

import io.netty.buffer.ByteBuf;
import io.sluice.client.push.LocalSink;
import io.sluice.common.block.BlockFormatException;
import io.sluice.common.block.BlockHeader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * The local output of one map attempt: writes frames to a temporary file in the order of arrival,
 * and sorts their blocks by partition at the end. Owned by the task thread.
 *
 * <p>The temporary file is created with the first frame, and deleted by {@link #finish} and {@link
 * #close}, also after an error.
 */
public final class LocalOutputFile implements LocalSink, Closeable {
  /**
   * Shorter ranges are copied through a buffer: a copy in the kernel costs as much as copying this
   * many bytes.
   */
  private static final int MIN_TRANSFER_BYTES = 64 << 10;

  private static final int GATHER_BYTES = 256 << 10;

  private final Path temporary;
  private final BlockRuns runs;
  private FileChannel channel;
  private boolean moved;
  private State state = State.TAKING;

  private enum State {
    TAKING,
    FAILED,
    ENDED
  }

  /**
   * @param temporary path of the temporary file, owned from the first frame on and truncated if it
   *     exists; the directory must exist
   */
  public LocalOutputFile(Path temporary, int partitionCount) {
    this.temporary = temporary;
    this.runs = new BlockRuns(partitionCount);
  }

  /** Number of bytes of blocks so far. */
  public long bytes() {
    return runs.bytes();
  }

  @Override
  public void accept(ByteBuf body) throws IOException {
    if (state != State.TAKING) {
      throw new IOException("local output is " + state + " file=" + temporary);
    }
    long at = bytes();
    boolean done = false;
    try {
      addRanges(body);
      open();
      write(body, at);
      done = true;
    } catch (IOException e) {
      throw new IOException(
          "local output cannot be written file="
              + temporary
              + " offset="
              + at
              + " bytes="
              + body.readableBytes()
              + ": "
              + e,
          e);
    } finally {
      state = done ? State.TAKING : State.FAILED;
    }
  }

  private void addRanges(ByteBuf body) throws BlockFormatException {
    for (int at = body.readerIndex(); at < body.writerIndex(); ) {
      BlockHeader header = BlockHeader.read(body, at, body.writerIndex());
      runs.add(header.partition(), header.blockLength());
      at += header.blockLength();
    }
  }

  private void open() throws IOException {
    if (channel == null) {
      channel =
          FileChannel.open(
              temporary,
              // With an external shuffle service that deletes files, Spark has created the file
              // already.
              StandardOpenOption.CREATE,
              StandardOpenOption.TRUNCATE_EXISTING,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE);
    }
  }

  private void write(ByteBuf body, long at) throws IOException {
    int start = body.readerIndex();
    int length = body.readableBytes();
    for (int done = 0; done < length; ) {
      // With explicit positions, the indexes of the body do not change.
      done += body.getBytes(start + done, channel, at + done, length - done);
    }
  }

  /**
   * Writes all blocks to the target, sorted by partition; blocks of one partition keep their order.
   * The object cannot be used afterwards.
   *
   * @param target replaced if it exists; not created if there are no blocks
   * @return number of bytes of every partition; the partitions are adjacent in the target
   */
  public long[] finish(Path target) throws IOException {
    if (state != State.TAKING) {
      throw new IOException("local output is " + state + " file=" + temporary);
    }
    state = State.ENDED;
    try {
      if (channel != null && runs.isAscending()) {
        closeChannel();
        Files.move(temporary, target, StandardCopyOption.REPLACE_EXISTING);
        moved = true;
      } else if (channel != null) {
        sortInto(target);
      }
      return runs.lengths();
    } catch (IOException e) {
      Files.deleteIfExists(target);
      throw new IOException(
          "local output cannot be sorted by partition file="
              + target
              + " bytes="
              + bytes()
              + ": "
              + e,
          e);
    } finally {
      remove();
    }
  }

  private void sortInto(Path target) throws IOException {
    try (FileChannel out =
        FileChannel.open(
            target,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      Copy copy = new Copy(channel, out);
      runs.byPartition((partition, offset, length) -> copy.add(offset, length));
      copy.end();
      if (out.position() != bytes()) {
        throw new IOException("expected " + bytes() + " bytes, wrote " + out.position());
      }
    }
  }

  /** Copies ranges of a file in order: large ones in the kernel, small ones through a buffer. */
  private static final class Copy {
    private final FileChannel from;
    private final FileChannel to;
    private final ByteBuffer gathered = ByteBuffer.allocate(GATHER_BYTES);

    /** Start of the current range, which grows while added ranges are adjacent to it. */
    private long offset;

    private long length;

    Copy(FileChannel from, FileChannel to) {
      this.from = from;
      this.to = to;
    }

    void add(long at, long more) throws IOException {
      if (length > 0 && at == offset + length) {
        length += more;
        return;
      }
      copy();
      offset = at;
      length = more;
    }

    void end() throws IOException {
      copy();
      flush();
    }

    private void copy() throws IOException {
      if (length >= MIN_TRANSFER_BYTES) {
        flush();
        transfer();
      } else if (length > 0) {
        gather();
      }
      length = 0;
    }

    private void transfer() throws IOException {
      for (long done = 0; done < length; ) {
        long now = from.transferTo(offset + done, length - done, to);
        if (now <= 0) {
          throw new IOException("the temporary file ends at " + (offset + done));
        }
        done += now;
      }
    }

    private void gather() throws IOException {
      if (gathered.remaining() < length) {
        flush();
      }
      gathered.limit(gathered.position() + (int) length);
      while (gathered.hasRemaining()) {
        if (from.read(gathered, offset + length - gathered.remaining()) < 0) {
          throw new IOException("the temporary file ends before " + (offset + length));
        }
      }
      gathered.limit(gathered.capacity());
    }

    private void flush() throws IOException {
      gathered.flip();
      while (gathered.hasRemaining()) {
        to.write(gathered);
      }
      gathered.clear();
    }
  }

  private void closeChannel() throws IOException {
    FileChannel closing = channel;
    channel = null;
    closing.close();
  }

  private void remove() throws IOException {
    try {
      if (channel != null) {
        closeChannel();
      }
    } finally {
      if (!moved) {
        Files.deleteIfExists(temporary);
      }
    }
  }

  /** Removes the temporary file. Idempotent. */
  @Override
  public void close() throws IOException {
    state = State.ENDED;
    remove();
  }
}
