package io.sluice.server.log;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Frames of one shuffle, neighbours in arrival, that are to be written as one run. Owns a reference
 * to each body until {@link ShuffleLog#completeSpill} or {@link ShuffleLog#abortSpill} ends it.
 * Used by one thread.
 */
public final class SpillBatch {
  /** What the run will hold of one partition; the extents follow each other without gaps. */
  public static final class Part {
    private final int partition;
    private final long start;
    private final long length;
    private final Extent.InMemory[] sorted;
    private final int first;
    private final int last;

    Part(Extent.InMemory[] sorted, int first, int last) {
      this.sorted = sorted;
      this.first = first;
      this.last = last;
      this.partition = sorted[first].partition.index;
      this.start = sorted[first].start;
      this.length = sorted[last - 1].end() - start;
    }

    public int partition() {
      return partition;
    }

    /** Logical offset of the first byte. */
    public long start() {
      return start;
    }

    public long length() {
      return length;
    }

    /** Number of buffers that the bytes lie in. */
    public int bufferCount() {
      return last - first;
    }

    /** The bytes of one buffer: whole blocks. Borrowed from the batch. */
    public ByteBuf buffer(int at) {
      return sorted[first + at].bytes();
    }
  }

  private final ShuffleLog log;
  private final LoggedFrame[] frames;
  private final long heldBytes;
  private final List<Part> parts;
  private final long length;

  SpillBatch(ShuffleLog log, LoggedFrame[] frames, long heldBytes) {
    this.log = log;
    this.frames = frames;
    this.heldBytes = heldBytes;
    int count = 0;
    for (LoggedFrame frame : frames) {
      count += frame.extents.length;
    }
    Extent.InMemory[] sorted = new Extent.InMemory[count];
    int at = 0;
    for (LoggedFrame frame : frames) {
      System.arraycopy(frame.extents, 0, sorted, at, frame.extents.length);
      at += frame.extents.length;
    }
    // Stable: within a partition, frames stay in the order of arrival.
    Arrays.sort(sorted, (a, b) -> Integer.compare(a.partition.index, b.partition.index));
    this.parts = new ArrayList<>();
    long total = 0;
    for (int first = 0; first < count; ) {
      int last = first + 1;
      while (last < count && sorted[last].partition == sorted[first].partition) {
        last++;
      }
      Part part = new Part(sorted, first, last);
      parts.add(part);
      total += part.length;
      first = last;
    }
    this.length = total;
  }

  public ShuffleLog log() {
    return log;
  }

  /** By partition, ascending. */
  public List<Part> parts() {
    return parts;
  }

  /** Bytes of blocks. */
  public long length() {
    return length;
  }

  /** Bytes of the memory budget that writing this will free. */
  public long heldBytes() {
    return heldBytes;
  }

  /** Number of the first push frame, within the shuffle and the server's epoch. */
  public long firstArrival() {
    return frames[0].arrival;
  }

  long lastArrival() {
    return frames[frames.length - 1].arrival;
  }

  LoggedFrame[] frames() {
    return frames;
  }

  /**
   * Adds a reference to each body, for a writer that may outlast the batch: one that hangs still
   * reads them after the batch was given up. Called while the batch has not ended.
   */
  public void retainBodies() {
    for (LoggedFrame frame : frames) {
      frame.body.retain();
    }
  }

  /** Gives one reference to each body back. */
  public void releaseBodies() {
    for (LoggedFrame frame : frames) {
      frame.body.release();
    }
  }
}
