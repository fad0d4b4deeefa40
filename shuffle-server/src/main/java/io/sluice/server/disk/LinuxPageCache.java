package io.sluice.server.disk;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Linux page cache, queried with {@code mincore}. The files must belong to the server's user:
 * for other files Linux reports all pages as cached.
 *
 * <p>A file that was queried stays mapped until it is closed: to map it for each query would cost
 * more than the query.
 */
public final class LinuxPageCache implements PageCache {
  private static final Logger LOG = LoggerFactory.getLogger(LinuxPageCache.class);

  /** Maximum bytes checked or read by one system call. */
  private static final int WINDOW_BYTES = 1 << 20;

  /**
   * Maximum number of files that stay mapped. The kernel permits a process 65,530 mappings, some of
   * which its threads need.
   */
  private static final int MAX_MAPPED_FILES = 16_384;

  private final Descriptors descriptors;
  private final int pageBytes;
  private final Map<FileChannel, Mapping> mappings = new ConcurrentHashMap<>();
  private final ThreadLocal<Residency> residency;
  private final ThreadLocal<ByteBuffer> scratch =
      ThreadLocal.withInitial(() -> ByteBuffer.allocateDirect(WINDOW_BYTES / 4));

  private LinuxPageCache(Descriptors descriptors, int pageBytes) {
    this.descriptors = descriptors;
    this.pageBytes = pageBytes;
    this.residency = ThreadLocal.withInitial(() -> Residency.ofPages(WINDOW_BYTES / pageBytes + 2));
  }

  /**
   * A whole file in the address space, for {@code mincore} only: its bytes are never touched, which
   * would raise SIGBUS after a disk error.
   */
  private record Mapping(long address, long length) {
    void unmap() {
      Libc.munmap(address, length);
    }
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
    Mapping known = mappings.get(file);
    if (known != null) {
      return isCached(known, position, length);
    }
    Mapping mapped = map(file);
    if (mapped == null) {
      return false;
    }
    if (mappings.size() < MAX_MAPPED_FILES && mappings.putIfAbsent(file, mapped) == null) {
      return isCached(mapped, position, length);
    }
    try {
      return isCached(mapped, position, length);
    } finally {
      mapped.unmap();
    }
  }

  /** Returns null if the file cannot be mapped; its bytes count as not cached. */
  private Mapping map(FileChannel file) {
    int descriptor = descriptors.of(file);
    if (descriptor < 0) {
      return null;
    }
    long length;
    try {
      length = file.size();
    } catch (IOException e) {
      return null;
    }
    // Fails for an empty file, which has no bytes to send.
    long address = Libc.mmap(0, length, Libc.PROT_READ, Libc.MAP_SHARED, descriptor, 0);
    return address == Libc.MAP_FAILED ? null : new Mapping(address, length);
  }

  private boolean isCached(Mapping file, long position, int length) {
    long end = position + length;
    if (end > file.length()) {
      return false;
    }
    Residency found;
    try {
      found = residency.get();
    } catch (OutOfMemoryError e) {
      // The first query of a thread allocates memory outside of the heap.
      return false;
    }
    long pages = Pointer.nativeValue(found.memory());
    for (long at = position - position % pageBytes; at < end; at += WINDOW_BYTES) {
      long window = Math.min(WINDOW_BYTES, end - at);
      if (Libc.mincore(file.address() + at, window, pages) != 0
          || !found.isWhole((int) ((window + pageBytes - 1) / pageBytes))) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void forget(FileChannel file) {
    Mapping mapping = mappings.remove(file);
    if (mapping != null) {
      mapping.unmap();
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
