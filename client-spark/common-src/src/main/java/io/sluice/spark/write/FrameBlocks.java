package io.sluice.spark.write;

import io.sluice.spark.engine.FrameFormat;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Divides the partitions of an engine's map output file into blocks of whole frames. Memory: one
 * block, or the largest frame. Used by one thread.
 */
final class FrameBlocks {
  private static final int READ_BYTES = 64 << 10;
  private static final int MAX_FRAME_BYTES = Integer.MAX_VALUE - 16;

  private final FrameFormat format;
  private final MapOutput output;
  private final int blockBytes;
  private byte[] block = new byte[0];
  private int length;
  private int frames;

  /**
   * @param output borrows
   * @param blockBytes maximum bytes of a block, unless one frame is larger
   */
  FrameBlocks(FrameFormat format, MapOutput output, int blockBytes) {
    this.format = format;
    this.output = output;
    this.blockBytes = blockBytes;
  }

  /**
   * Adds all frames of a partition to the output.
   *
   * @param data borrows: positioned at the partition, afterwards at its end
   * @param storedBytes bytes of the partition in the file
   */
  void add(int partition, InputStream data, long storedBytes) throws IOException {
    Range stored = new Range(data, storedBytes);
    // Most partitions of a map task are small if there are many.
    int bufferBytes = (int) Math.max(1, Math.min(READ_BYTES, storedBytes));
    InputStream in = new BufferedInputStream(format.open(stored), bufferBytes);
    int headerBytes = format.headerBytes();
    byte[] header = new byte[headerBytes];
    for (int count = in.readNBytes(header, 0, headerBytes);
        count > 0;
        count = in.readNBytes(header, 0, headerBytes)) {
      if (count < headerBytes) {
        throw truncated(partition, headerBytes, count);
      }
      long frameBytes = format.frameBytes(ByteBuffer.wrap(header));
      if (frameBytes < headerBytes || frameBytes > MAX_FRAME_BYTES) {
        throw new IOException(
            "invalid length of a frame: partition=" + partition + " frameBytes=" + frameBytes);
      }
      if (length + frameBytes > blockBytes) {
        flush(partition);
      }
      append(partition, header, in, (int) frameBytes - headerBytes);
    }
    flush(partition);
    if (stored.left > 0) {
      throw truncated(partition, storedBytes, storedBytes - stored.left);
    }
  }

  private void append(int partition, byte[] header, InputStream in, int bodyBytes)
      throws IOException {
    int end = length + header.length + bodyBytes;
    if (end > block.length) {
      block = Arrays.copyOf(block, Math.max(end, Math.min(blockBytes, 2 * block.length)));
    }
    System.arraycopy(header, 0, block, length, header.length);
    int count = in.readNBytes(block, length + header.length, bodyBytes);
    if (count < bodyBytes) {
      throw truncated(partition, bodyBytes, count);
    }
    length = end;
    frames++;
  }

  private void flush(int partition) throws IOException {
    if (length > 0) {
      output.add(partition, block, length, frames);
      length = 0;
      frames = 0;
    }
  }

  private static EOFException truncated(int partition, long expected, long found) {
    return new EOFException(
        "truncated: partition="
            + partition
            + " expectedBytes="
            + expected
            + " foundBytes="
            + found);
  }

  /** The next bytes of a stream, up to a number. */
  private static final class Range extends InputStream {
    private final InputStream data;
    private long left;

    Range(InputStream data, long bytes) {
      this.data = data;
      this.left = bytes;
    }

    @Override
    public int read() throws IOException {
      int value = left > 0 ? data.read() : -1;
      left -= value < 0 ? 0 : 1;
      return value;
    }

    @Override
    public int read(byte[] target, int offset, int count) throws IOException {
      if (count == 0) {
        return 0;
      }
      int read = left > 0 ? data.read(target, offset, (int) Math.min(left, count)) : -1;
      left -= Math.max(0, read);
      return read;
    }
  }
}
