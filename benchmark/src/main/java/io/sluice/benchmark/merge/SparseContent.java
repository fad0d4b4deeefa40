package io.sluice.benchmark.merge;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Contents of an append-only file that is mostly zeros. Only other bytes use memory, so terabytes
 * of blocks with zero payloads can be stored with their headers and footers. Not thread-safe while
 * it is written.
 */
final class SparseContent {
  /** Minimum length of a hole; shorter sequences of zeros are stored like other bytes. */
  private static final int MIN_HOLE = 64;

  private static final int ZEROS_LENGTH = 1 << 20;
  private static final ByteBuffer ZEROS =
      ByteBuffer.allocateDirect(ZEROS_LENGTH).asReadOnlyBuffer();

  // Stored pieces, ascending.
  private int count;
  private long[] starts = new long[64];
  private int[] dataStarts = new int[65];
  private byte[] data = new byte[4096];
  private int dataLength;
  private long length;

  long length() {
    return length;
  }

  /** Appends the remaining bytes. */
  void append(ByteBuffer source) {
    int at = source.position();
    int end = source.limit();
    while (at < end) {
      int hole = zerosFrom(source, at, end);
      if (hole >= MIN_HOLE || at + hole == end) {
        length += hole;
        at += hole;
      } else {
        int stop = dataEnd(source, at, end);
        keep(source, at, stop - at);
        at = stop;
      }
    }
    source.position(end);
  }

  /** Appends a range of another file. */
  void append(SparseContent source, long from, long bytes) {
    long base = length - from;
    long end = from + bytes;
    for (int i = source.firstPieceAfter(from); i < source.count && source.starts[i] < end; i++) {
      long start = Math.max(from, source.starts[i]);
      long stop = Math.min(end, source.starts[i] + source.pieceLength(i));
      beginPiece(base + start);
      append(
          source.data,
          source.dataStarts[i] + (int) (start - source.starts[i]),
          (int) (stop - start));
    }
    length += bytes;
  }

  /**
   * Fills {@code target} from {@code offset}.
   *
   * @return bytes read, or -1 at the end
   */
  int read(ByteBuffer target, long offset) {
    if (offset >= length) {
      return -1;
    }
    int bytes = (int) Math.min(target.remaining(), length - offset);
    int base = target.position();
    for (int done = 0; done < bytes; ) {
      int chunk = Math.min(bytes - done, ZEROS_LENGTH);
      target.put(ZEROS.slice(0, chunk));
      done += chunk;
    }
    long end = offset + bytes;
    for (int i = firstPieceAfter(offset); i < count && starts[i] < end; i++) {
      long start = Math.max(offset, starts[i]);
      long stop = Math.min(end, starts[i] + pieceLength(i));
      target.put(
          base + (int) (start - offset),
          data,
          dataStarts[i] + (int) (start - starts[i]),
          (int) (stop - start));
    }
    return bytes;
  }

  private static int zerosFrom(ByteBuffer source, int at, int end) {
    int zeros = 0;
    while (at + zeros < end) {
      int some = Math.min(end - at - zeros, ZEROS_LENGTH);
      int different = source.slice(at + zeros, some).mismatch(ZEROS.slice(0, some));
      if (different >= 0) {
        return zeros + different;
      }
      zeros += some;
    }
    return zeros;
  }

  /** Start of the next hole, or end of the source. */
  private static int dataEnd(ByteBuffer source, int from, int end) {
    int zeros = 0;
    for (int at = from; at < end; at++) {
      zeros = source.get(at) == 0 ? zeros + 1 : 0;
      if (zeros == MIN_HOLE) {
        return at + 1 - MIN_HOLE;
      }
    }
    return end - zeros;
  }

  private void keep(ByteBuffer source, int at, int bytes) {
    beginPiece(length);
    byte[] copy = new byte[bytes];
    source.get(at, copy);
    append(copy, 0, bytes);
    length += bytes;
  }

  /** Starts a new piece, unless the next bytes continue the last one. */
  private void beginPiece(long start) {
    if (count > 0 && starts[count - 1] + pieceLength(count - 1) == start) {
      return;
    }
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, count * 2);
      dataStarts = Arrays.copyOf(dataStarts, count * 2 + 1);
    }
    starts[count] = start;
    dataStarts[count] = dataLength;
    dataStarts[++count] = dataLength;
  }

  private void append(byte[] bytes, int from, int some) {
    if (dataLength + some > data.length) {
      data = Arrays.copyOf(data, Math.max(data.length * 2, dataLength + some));
    }
    System.arraycopy(bytes, from, data, dataLength, some);
    dataLength += some;
    dataStarts[count] = dataLength;
  }

  private int pieceLength(int piece) {
    return dataStarts[piece + 1] - dataStarts[piece];
  }

  /** Index of the first piece that ends after {@code offset}. */
  private int firstPieceAfter(long offset) {
    int low = 0;
    int high = count;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (starts[middle] + pieceLength(middle) > offset) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
}
