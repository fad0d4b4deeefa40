package io.sluice.common.net;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringServerSocketChannel;
import io.netty.channel.uring.IoUringSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The channel classes and event loops of one {@link IoMode}.
 *
 * @param mode the mode in use, which may be less than what was asked for
 */
public record SocketIo(
    IoMode mode,
    Class<? extends SocketChannel> socketClass,
    Class<? extends ServerSocketChannel> serverSocketClass,
    Supplier<IoHandlerFactory> handlerFactory) {

  private static final String POLL_MULTISHOT = "io.netty.iouring.pollAddMultishotEnabled";

  /** Many times what a kernel takes to answer for reads that were cancelled. */
  private static final long CANCELLED_READS_MS = 100;

  private static final Logger LOG = LoggerFactory.getLogger(SocketIo.class);

  /**
   * The asked mode, or the next best that this kernel and class path have: IO_URING, EPOLL, NIO.
   * Falling back is one line in the log.
   */
  public static SocketIo select(IoMode asked) {
    return select(asked, SocketIo::whyUnavailable);
  }

  /**
   * @param whyUnavailable for a mode, what keeps it from working here; null when it works
   */
  static SocketIo select(IoMode asked, Function<IoMode, Throwable> whyUnavailable) {
    IoMode mode = asked;
    Throwable why = whyUnavailable.apply(asked);
    Throwable firstReason = why;
    while (why != null && mode != IoMode.NIO) {
      mode = mode == IoMode.IO_URING ? IoMode.EPOLL : IoMode.NIO;
      why = whyUnavailable.apply(mode);
    }
    if (mode != asked) {
      LOG.warn(
          "I/O mode not available here, using another asked={} using={} reason={}",
          asked,
          mode,
          rootMessage(firstReason));
    }
    return of(mode);
  }

  private static SocketIo of(IoMode mode) {
    return switch (mode) {
      case NIO ->
          new SocketIo(
              mode, NioSocketChannel.class, NioServerSocketChannel.class, NioIoHandler::newFactory);
      case EPOLL ->
          new SocketIo(
              mode,
              EpollSocketChannel.class,
              EpollServerSocketChannel.class,
              EpollIoHandler::newFactory);
      case IO_URING ->
          new SocketIo(
              mode,
              IoUringSocketChannel.class,
              IoUringServerSocketChannel.class,
              IoUringIoHandler::newFactory);
    };
  }

  private static Throwable whyUnavailable(IoMode mode) {
    return switch (mode) {
      case NIO -> null;
      case EPOLL -> Epoll.unavailabilityCause();
      case IO_URING -> whyNoIoUring();
    };
  }

  /**
   * Netty's multi-shot poll reports a change once: a reset that arrives while a read is under way
   * is then never seen, and the connection stays. A poll of its own for each wait sees it. Netty
   * looks at the setting when its io_uring classes are first used, which is here.
   */
  private static Throwable whyNoIoUring() {
    if (System.getProperty(POLL_MULTISHOT) == null) {
      System.setProperty(POLL_MULTISHOT, "false");
    }
    return IoUring.unavailabilityCause();
  }

  private static String rootMessage(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    return root.toString();
  }

  /**
   * New event loops. Owned by the caller, who shuts them down.
   *
   * @param threadName what the threads are called, before their number
   */
  public EventLoopGroup newEventLoops(int threads, String threadName) {
    return new MultiThreadIoEventLoopGroup(
        threads, new DefaultThreadFactory(threadName, true), handlerFactory.get());
  }

  /**
   * Ends event loops whose connections have been closed and waits for it, within a bounded time.
   * With io_uring the kernel holds the buffer of a cancelled read until it says so: the loops go on
   * for a moment to hear that, or the buffer would be lost.
   */
  public void shutDown(EventLoopGroup loops, long timeoutMs) {
    long quietMs = mode == IoMode.IO_URING ? Math.min(CANCELLED_READS_MS, timeoutMs / 2) : 0;
    loops
        .shutdownGracefully(quietMs, timeoutMs / 2, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(timeoutMs);
  }
}
