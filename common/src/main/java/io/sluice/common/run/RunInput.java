package io.sluice.common.run;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;

/**
 * A run that is merged, read from front to back through a window: one read of the whole window
 * brings in what many partitions need. Not thread-safe.
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
   * @param window what to read into; exclusively its own
   */
  RunInput(int number, RunReader run, ByteBuffer window) {
    this.number = number;
    this.run = run;
    this.window = window.limit(0);
  }

  RunReader run() {
    return run;
  }

  /** Bytes that were read so far. */
  long bytesRead() {
    return bytesRead;
  }

  /** Begins again with the first extent. */
  void rewind() {
    nextExtent = 0;
  }

  /** The next extent, or null. */
  RunExtent next() {
    return nextExtent < run.extents().size() ? run.extents().get(nextExtent++) : null;
  }

  /**
   * How far to read on from {@code offset}, which grows from call to call: up to an extent of so
   * many bytes that it will not come through the window.
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

  /** How many of {@code length} bytes from {@code offset} are in the window. */
  int available(long offset, long length) {
    long in = offset - windowStart;
    return in < 0 || in >= window.limit() ? 0 : (int) Math.min(length, window.limit() - in);
  }

  /**
   * Reads on from {@code offset}: as much as the window takes, not beyond {@code end}. What was in
   * the window is gone.
   */
  void fill(long offset, long end) throws MergeInputException {
    window.clear().limit((int) Math.min(window.capacity(), end - offset));
    try {
      while (window.hasRemaining()) {
        if (run.channel().read(window, offset + window.position()) < 0) {
          throw new EOFException("the file became shorter, it ended before " + end);
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
   * Lets the kernel copy to where {@code target} stands.
   *
   * @return how many bytes it copied; fewer than asked if it could not go on, for whatever reason
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
      // It does not say which of the two files failed; copying the rest through the window does.
      done = target.position() - before;
    }
    bytesRead += done;
    return done;
  }

  MergeInputException failed(IOException cause) {
    return new MergeInputException(number, run.file(), cause);
  }
}
