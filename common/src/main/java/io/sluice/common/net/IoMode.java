package io.sluice.common.net;

/** How a process waits for its sockets. */
public enum IoMode {
  /** The JDK's selectors; on every platform. */
  NIO,
  /** Linux epoll through Netty's native library. */
  EPOLL,
  /** Linux io_uring through Netty's native library. */
  IO_URING
}
