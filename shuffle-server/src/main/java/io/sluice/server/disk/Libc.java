package io.sluice.server.disk;

import com.sun.jna.Native;
import com.sun.jna.Platform;

/**
 * Bindings of C library functions on 64-bit Linux. Addresses are numbers, because objects for them
 * would cost more than the calls.
 */
final class Libc {
  static final int PROT_READ = 1;
  static final int MAP_SHARED = 1;
  static final long MAP_FAILED = -1;
  static final int POSIX_FADV_WILLNEED = 3;
  static final int POSIX_FADV_DONTNEED = 4;
  static final int SC_PAGESIZE = 30;

  private Libc() {}

  /**
   * Binds the functions.
   *
   * @throws UnsupportedOperationException if they are not available; the message is one line
   */
  static void bind() {
    if (!Platform.isLinux() || !Platform.is64Bit()) {
      throw new UnsupportedOperationException("the system is not 64-bit Linux");
    }
    try {
      Native.register(Libc.class, Platform.C_LIBRARY_NAME);
    } catch (UnsatisfiedLinkError | NoClassDefFoundError | IllegalArgumentException e) {
      throw new UnsupportedOperationException(
          "the C library cannot be called: " + e.getMessage(), e);
    }
  }

  /** Returns -1 after an error. */
  static native long mmap(
      long address, long length, int protection, int flags, int descriptor, long offset);

  static native int munmap(long address, long length);

  /** Returns 0, or -1 after an error. */
  static native int mincore(long address, long length, long residency);

  static native int posix_fadvise(int descriptor, long offset, long length, int advice);

  static native long sysconf(int name);
}
