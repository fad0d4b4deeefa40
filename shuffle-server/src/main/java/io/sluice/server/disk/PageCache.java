package io.sluice.server.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;

/** What the system keeps of files in memory. Thread-safe. */
public interface PageCache {
  /**
   * Whether bytes can be sent without waiting for a disk, as far as can be told; never waits
   * itself.
   */
  boolean holds(FileChannel file, long position, int length);

  /**
   * Reads bytes of a file in, on a thread that may wait for its disk.
   *
   * @return whether {@link #holds} can tell afterwards; if not, nothing was read, and the bytes are
   *     to be read into memory of one's own
   */
  boolean load(FileChannel file, long position, int length) throws IOException;

  /** Lets the system forget bytes that are not wanted again, on a thread of their disk. */
  void drop(FileChannel file, long position, long length);

  /**
   * Lets the system begin to read bytes that will be wanted, on a thread that may wait for their
   * disk.
   */
  void readAhead(FileChannel file, long position, long length);

  /** A system that does not say what it keeps: every read goes through a disk's threads. */
  PageCache UNKNOWN =
      new PageCache() {
        @Override
        public boolean holds(FileChannel file, long position, int length) {
          return false;
        }

        @Override
        public boolean load(FileChannel file, long position, int length) {
          return false;
        }

        @Override
        public void drop(FileChannel file, long position, long length) {}

        @Override
        public void readAhead(FileChannel file, long position, long length) {}
      };
}
