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
 * @param mode the mode in use, which may differ from the requested mode
 */
public record SocketIo(
    IoMode mode,
    Class<? extends SocketChannel> socketClass,
    Class<? extends ServerSocketChannel> serverSocketClass,
    Supplier<IoHandlerFactory> handlerFactory) {

  private static final String POLL_MULTISHOT = "io.netty.iouring.pollAddMultishotEnabled";

  /** Time for the kernel to complete cancelled reads; many times the usual delay. */
  private static final long CANCELLED_READS_MS = 100;

  private static final Logger LOG = LoggerFactory.getLogger(SocketIo.class);

  /**
   * The requested mode, or the next one that this kernel and class path support, in the order
   * IO_URING, EPOLL, NIO. A different mode is logged once.
   */
  public static SocketIo select(IoMode requested) {
    return select(requested, SocketIo::whyUnavailable);
  }

  /**
   * @param whyUnavailable cause that a mode is unavailable on this host; null if it is available
   */
  static SocketIo select(IoMode requested, Function<IoMode, Throwable> whyUnavailable) {
    IoMode mode = requested;
    Throwable why = whyUnavailable.apply(requested);
    Throwable firstReason = why;
    while (why != null && mode != IoMode.NIO) {
      mode = mode == IoMode.IO_URING ? IoMode.EPOLL : IoMode.NIO;
      why = whyUnavailable.apply(mode);
    }
    if (mode != requested) {
      LOG.warn(
          "I/O mode is not available on this host, using another mode requested={} used={}"
              + " reason=\"{}\"",
          requested,
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
   * Netty's multi-shot poll reports a change once: a reset that arrives during a read is missed,
   * and the connection stays open. A separate poll for each wait detects it. Netty reads the
   * setting when its io_uring classes are first used, which is here.
   */
  private static Throwable whyNoIoUring() {
    if (System.getProperty(POLL_MULTISHOT) == null) {
      System.setProperty(POLL_MULTISHOT, "false");
    }
    try {
      return IoUring.unavailabilityCause();
    } catch (LinkageError e) {
      // Java 8: Netty's io_uring needs Java 9.
      return e;
    }
  }

  private static String rootMessage(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    return root.toString();
  }

  /**
   * New event loops. The caller owns them and shuts them down.
   *
   * @param threadName prefix of thread names, followed by a number
   */
  public EventLoopGroup newEventLoops(int threads, String threadName) {
    return new MultiThreadIoEventLoopGroup(
        threads, new DefaultThreadFactory(threadName, true), handlerFactory.get());
  }

  /**
   * Shuts down event loops whose connections have been closed, and waits for it within a bounded
   * time. With io_uring the kernel owns the buffer of a cancelled read until it reports the
   * completion. The loops therefore run a little longer to receive it; otherwise the buffer would
   * leak.
   */
  public void shutDown(EventLoopGroup loops, long timeoutMs) {
    long quietMs = mode == IoMode.IO_URING ? Math.min(CANCELLED_READS_MS, timeoutMs / 2) : 0;
    loops
        .shutdownGracefully(quietMs, timeoutMs / 2, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(timeoutMs);
  }
}
