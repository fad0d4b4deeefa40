package io.sluice.server.disk;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;

/** Bindings of C library functions on 64-bit Linux. */
final class Libc {
  static final int PROT_READ = 1;
  static final int MAP_SHARED = 1;
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

  static native Pointer mmap(
      Pointer address, long length, int protection, int flags, int descriptor, long offset)
      throws LastErrorException;

  static native int munmap(Pointer address, long length) throws LastErrorException;

  static native int mincore(Pointer address, long length, Pointer residency)
      throws LastErrorException;

  static native int posix_fadvise(int descriptor, long offset, long length, int advice);

  static native long sysconf(int name);
}
