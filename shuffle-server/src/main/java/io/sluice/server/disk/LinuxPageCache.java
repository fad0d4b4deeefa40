package io.sluice.server.disk;

import com.sun.jna.LastErrorException;
import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Linux page cache, queried with {@code mincore}. The files must belong to the server's user:
 * for other files Linux reports all pages as cached.
 */
public final class LinuxPageCache implements PageCache {
  private static final Logger LOG = LoggerFactory.getLogger(LinuxPageCache.class);

  /** Maximum bytes checked or read by one system call. */
  private static final int WINDOW_BYTES = 1 << 20;

  private final Descriptors descriptors;
  private final int pageBytes;
  private final ThreadLocal<Residency> residency;
  private final ThreadLocal<ByteBuffer> scratch =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(WINDOW_BYTES / 4));

  private LinuxPageCache(Descriptors descriptors, int pageBytes) {
    this.descriptors = descriptors;
    this.pageBytes = pageBytes;
    this.residency = ThreadLocal.withInitial(() -> Residency.ofPages(WINDOW_BYTES / pageBytes + 2));
  }

  /**
   * A byte for each page.
   *
   * @param memory as the C library writes it
   * @param pages the same memory, whose bytes are read without calls through JNI
   */
  private record Residency(Memory memory, ByteBuffer pages) {
    static Residency ofPages(int count) {
      Memory memory = new Memory(count);
      return new Residency(memory, memory.getByteBuffer(0, count));
    }

    /** Whether each of the first {@code count} pages is resident. */
    boolean isWhole(int count) {
      for (int i = 0; i < count; i++) {
        if ((pages.get(i) & 1) == 0) {
          return false;
        }
      }
      return true;
    }
  }

  /** The page cache of this machine, or {@link PageCache#UNKNOWN} with a line in the log. */
  public static PageCache load() {
    try {
      Descriptors descriptors = Descriptors.find();
      Libc.bind();
      return new LinuxPageCache(descriptors, (int) Libc.sysconf(Libc.SC_PAGESIZE));
    } catch (UnsupportedOperationException e) {
      LOG.info(
          "page cache cannot be queried, file reads are copied through memory reason={}",
          e.getMessage());
      return PageCache.UNKNOWN;
    }
  }

  @Override
  public boolean isCached(FileChannel file, long position, int length) {
    int descriptor = descriptors.of(file);
    if (descriptor < 0) {
      return false;
    }
    long end = position + length;
    for (long at = position - position % pageBytes; at < end; at += WINDOW_BYTES) {
      if (!isWindowCached(descriptor, at, Math.min(WINDOW_BYTES, end - at))) {
        return false;
      }
    }
    return true;
  }

  /**
   * @param start offset of a page
   */
  private boolean isWindowCached(int descriptor, long start, long length) {
    Pointer mapped;
    try {
      mapped = Libc.mmap(null, length, Libc.PROT_READ, Libc.MAP_SHARED, descriptor, start);
    } catch (LastErrorException e) {
      // For example, too many mappings: treat the bytes as not cached.
      return false;
    }
    try {
      Residency pages = residency.get();
      Libc.mincore(mapped, length, pages.memory());
      return pages.isWhole((int) ((length + pageBytes - 1) / pageBytes));
    } catch (LastErrorException | OutOfMemoryError e) {
      return false;
    } finally {
      Libc.munmap(mapped, length);
    }
  }

  @Override
  public boolean load(FileChannel file, long position, int length) throws IOException {
    if (descriptors.of(file) < 0) {
      return false;
    }
    // Reads and discards the bytes. Touching a mapping instead would raise SIGBUS on a disk error.
    ByteBuffer target = scratch.get();
    long end = position + length;
    for (long at = position; at < end; ) {
      target.clear().limit((int) Math.min(target.capacity(), end - at));
      int read = file.read(target, at);
      if (read <= 0) {
        throw new EOFException("file ends at " + at + ", expected " + (end - at) + " bytes more");
      }
      at += read;
    }
    return true;
  }

  @Override
  public void drop(FileChannel file, long position, long length) {
    advise(file, position, length, Libc.POSIX_FADV_DONTNEED);
  }

  @Override
  public void readAhead(FileChannel file, long position, long length) {
    advise(file, position, length, Libc.POSIX_FADV_WILLNEED);
  }

  /** Errors are ignored: this is advice only. */
  private void advise(FileChannel file, long position, long length, int advice) {
    int descriptor = descriptors.of(file);
    if (descriptor >= 0) {
      Libc.posix_fadvise(descriptor, position, length, advice);
    }
  }
}
