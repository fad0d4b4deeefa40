package io.sluice.common.run;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;

/**
 * Input of a merge, read sequentially through a window: one read fills the window with the data of
 * many partitions. Not thread-safe.
 */
final class RunInput {
  private final int number;
  private final RunReader run;
  private final ByteBuffer window;
  private long windowStart;
  private int nextExtent;
  private int reading;
  private long bytesRead;

  /**
   * @param window read buffer, used exclusively by this input
   */
  RunInput(int number, RunReader run, ByteBuffer window) {
    this.number = number;
    this.run = run;
    this.window = window.limit(0);
  }

  RunReader run() {
    return run;
  }

  /** Number of bytes read. */
  long bytesRead() {
    return bytesRead;
  }

  /** Continues with the first extent. */
  void rewind() {
    nextExtent = 0;
  }

  /** The next extent, or null. */
  RunExtent next() {
    return nextExtent < run.extents().size() ? run.extents().get(nextExtent++) : null;
  }

  /**
   * End of the range to read from {@code offset}: the next extent of at least {@code tooLarge}
   * bytes is not read through the window. {@code offset} must not decrease from call to call.
   */
  long readAheadEnd(long offset, long tooLarge) {
    List<RunExtent> extents = run.extents();
    while (extents.get(reading).fileEnd() <= offset) {
      reading++;
    }
    long end = extents.get(reading).fileEnd();
    for (int at = reading + 1; at < extents.size() && end - offset < window.capacity(); at++) {
      if (extents.get(at).length() >= tooLarge) {
        return end;
      }
      end = extents.get(at).fileEnd();
    }
    return end;
  }

  /** Number of bytes from {@code offset} in the window, at most {@code length}. */
  int available(long offset, long length) {
    long in = offset - windowStart;
    return in < 0 || in >= window.limit() ? 0 : (int) Math.min(length, window.limit() - in);
  }

  /**
   * Replaces the contents of the window by the bytes from {@code offset}, at most up to {@code
   * end}.
   */
  void fill(long offset, long end) throws MergeInputException {
    window.clear().limit((int) Math.min(window.capacity(), end - offset));
    try {
      while (window.hasRemaining()) {
        if (run.channel().read(window, offset + window.position()) < 0) {
          throw new EOFException("the file was truncated, it ends before offset " + end);
        }
      }
    } catch (IOException e) {
      window.limit(0);
      throw failed(e);
    }
    windowStart = offset;
    bytesRead += window.limit();
    window.position(0);
  }

  /** Bytes of the window, valid until the next {@link #fill}. */
  ByteBuffer slice(long offset, int length) {
    return window.slice((int) (offset - windowStart), length);
  }

  /**
   * Copies bytes to the position of {@code target} in the kernel.
   *
   * @return number of copied bytes; less than {@code length} if the copy failed
   */
  long copyInKernel(long offset, long length, FileChannel target) throws IOException {
    long before = target.position();
    long done = 0;
    try {
      while (done < length) {
        long count = run.channel().transferTo(offset + done, length - done, target);
        if (count <= 0) {
          break;
        }
        done += count;
      }
    } catch (IOException e) {
      // The exception does not show which file failed; copying the rest through the window does.
      done = target.position() - before;
    }
    bytesRead += done;
    return done;
  }

  MergeInputException failed(IOException cause) {
    return new MergeInputException(number, run.file(), cause);
  }
}
