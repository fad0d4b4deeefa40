package io.sluice.common.net;

/** Mechanism by which a process waits for socket events. */
public enum IoMode {
  /** The JDK's selectors; on every platform. */
  NIO,
  /** Linux epoll through Netty's native library. */
  EPOLL,
  /** Linux io_uring through Netty's native library. */
  IO_URING
}
