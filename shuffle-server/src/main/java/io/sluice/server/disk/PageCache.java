package io.sluice.server.disk;

import java.io.IOException;
import java.nio.channels.FileChannel;

/** Access to the page cache of the operating system. Thread-safe. */
public interface PageCache {
  /**
   * Whether bytes are cached, so that they can be sent without waiting for a disk. An estimate;
   * never waits.
   */
  boolean isCached(FileChannel file, long position, int length);

  /**
   * Loads bytes of a file into the cache, on a thread that may wait for its disk.
   *
   * @return false if the page cache is not supported: nothing was read, and the caller must read
   *     the bytes into its own memory
   */
  boolean load(FileChannel file, long position, int length) throws IOException;

  /** Drops bytes that are not needed again, on a thread of their disk. */
  void drop(FileChannel file, long position, long length);

  /** Starts to read ahead bytes that will be needed, on a thread that may wait for their disk. */
  void readAhead(FileChannel file, long position, long length);

  /** Releases what was kept of a file, which is closed next. No other call uses the file now. */
  void forget(FileChannel file);

  /** An unsupported system: every read uses the threads of a disk. */
  PageCache UNKNOWN = new Unknown();

  /** Knows and does nothing. */
  class Unknown implements PageCache {
    @Override
    public boolean isCached(FileChannel file, long position, int length) {
      return false;
    }

    @Override
    public boolean load(FileChannel file, long position, int length) throws IOException {
      return false;
    }

    @Override
    public void drop(FileChannel file, long position, long length) {}

    @Override
    public void readAhead(FileChannel file, long position, long length) {}

    @Override
    public void forget(FileChannel file) {}
  }
}
