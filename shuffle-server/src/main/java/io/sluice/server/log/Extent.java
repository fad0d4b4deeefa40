package io.sluice.server.log;

import io.netty.buffer.ByteBuf;

/**
 * Contiguous bytes of one partition in memory or in one file. Guarded by the lock of its {@link
 * ShuffleLog}.
 */
abstract class Extent {
  /** Logical offset of the first byte in the partition. */
  final long start;

  final long length;

  Extent(long start, long length) {
    this.start = start;
    this.length = length;
  }

  long end() {
    return start + length;
  }

  /** Adjacent blocks of one partition in one frame. */
  static final class InMemory extends Extent {
    final LoggedFrame frame;
    final PartitionLog partition;
    final int bodyOffset;

    InMemory(LoggedFrame frame, PartitionLog partition, int bodyOffset, int length, long start) {
      super(start, length);
      this.frame = frame;
      this.partition = partition;
      this.bodyOffset = bodyOffset;
    }

    /** Borrows the frame's body: valid while the frame is retained. */
    ByteBuf bytes() {
      return frame.body.slice(bodyOffset, (int) length);
    }
  }

  /** Bytes of the partition in one run file. */
  static final class InFile extends Extent {
    final StoredRun run;
    final long fileOffset;

    InFile(StoredRun run, long fileOffset, long length, long start) {
      super(start, length);
      this.run = run;
      this.fileOffset = fileOffset;
    }
  }

  /**
   * Lost bytes of a run: its disk failed, or the bytes are damaged. The extent stays, so that later
   * logical offsets do not change.
   */
  static final class Lost extends Extent {
    Lost(long start, long length) {
      super(start, length);
    }
  }
}
