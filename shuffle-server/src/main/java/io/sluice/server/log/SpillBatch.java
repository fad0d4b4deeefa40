package io.sluice.server.log;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Consecutive frames of one shuffle to write as one run. Owns a reference to each body until {@link
 * ShuffleLog#completeSpill} or {@link ShuffleLog#abortSpill} ends it. Used by one thread.
 */
public final class SpillBatch {
  /** Data of one partition in the run; the extents are consecutive, without gaps. */
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

    /** Number of buffers with the part's bytes. */
    public int bufferCount() {
      return last - first;
    }

    /** Bytes of one buffer: whole blocks. Borrowed from the batch. */
    public ByteBuf buffer(int at) {
      return sorted[first + at].bytes();
    }
  }

  private final ShuffleLog log;
  private final LoggedFrame[] frames;
  private final long reservedBytes;
  private final List<Part> parts;
  private final long length;

  SpillBatch(ShuffleLog log, LoggedFrame[] frames, long reservedBytes) {
    this.log = log;
    this.frames = frames;
    this.reservedBytes = reservedBytes;
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

  /** Parts by ascending partition. */
  public List<Part> parts() {
    return parts;
  }

  /** Bytes of blocks. */
  public long length() {
    return length;
  }

  /** Bytes of the memory budget that this spill frees. */
  public long reservedBytes() {
    return reservedBytes;
  }

  /** Arrival number of the first frame, within the shuffle and the server's epoch. */
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
   * Adds a reference to each body, for a writer that may outlast the batch: a writer that hangs
   * still reads the bodies after the batch was aborted. Called before the batch has ended.
   */
  public void retainBodies() {
    for (LoggedFrame frame : frames) {
      frame.body.retain();
    }
  }

  /** Releases one reference to each body. */
  public void releaseBodies() {
    for (LoggedFrame frame : frames) {
      frame.body.release();
    }
  }
}
