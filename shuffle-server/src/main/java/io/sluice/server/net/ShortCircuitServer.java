package io.sluice.server.net;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.PeerCredentials;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.sluice.common.net.KeyedCounts;
import io.sluice.server.disk.Descriptors;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.read.FileReads;
import io.sluice.transport.protocol.ConnectionGuard;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on a Unix domain socket and hands out descriptors of run files. Thread-safe; start once,
 * close once.
 *
 * <p>A connection proves its application where connections to the data port do; elsewhere who may
 * open the socket may read what shuffles there are.
 */
public final class ShortCircuitServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ShortCircuitServer.class);

  private static final int CLOSE_TIMEOUT_MS = 2_000;

  private final ShortCircuitConfig config;
  private final long epoch;
  private final RunFileHandout handout;
  private final ConnectionGuard guard;
  private final ShortCircuitCounters counters;
  private final Denials denials;
  private final KeyedCounts users = new KeyedCounts();
  private final ChannelGroup connections =
      new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
  private EventLoopGroup eventLoop;
  private Channel listener;

  /** Hears who was turned away, on the event loop. Must not block. */
  @FunctionalInterface
  public interface Denials {
    /**
     * @param peer user and process, as the kernel knows them
     */
    void denied(String peer, String reason);
  }

  public ShortCircuitServer(
      ShortCircuitConfig config,
      long epoch,
      ShuffleStore store,
      FileReads reads,
      ConnectionGuard guard,
      ShortCircuitCounters counters,
      Denials denials) {
    this.config = config;
    this.epoch = epoch;
    this.guard = guard;
    this.handout = new RunFileHandout(epoch, store, reads);
    this.counters = counters;
    this.denials = denials;
  }

  /**
   * Listens.
   *
   * @throws IOException why descriptors cannot be handed out here, in one line
   */
  public synchronized void start() throws IOException {
    if (eventLoop != null) {
      throw new IllegalStateException("started before");
    }
    if (!Epoll.isAvailable()) {
      throw new IOException("epoll is not available: " + Epoll.unavailabilityCause().getMessage());
    }
    Descriptors descriptors;
    try {
      descriptors = Descriptors.find();
    } catch (UnsupportedOperationException e) {
      throw new IOException(e.getMessage(), e);
    }
    byte[] path = config.socket().toString().getBytes(StandardCharsets.UTF_8);
    if (path.length > ShortCircuitConfig.MAX_PATH_BYTES) {
      throw new IOException(
          "path of "
              + path.length
              + " bytes, a socket's has at most "
              + ShortCircuitConfig.MAX_PATH_BYTES);
    }
    deleteLeftover();
    eventLoop =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("sluice-short-circuit", true), EpollIoHandler.newFactory());
    ChannelFuture bound =
        new ServerBootstrap()
            .group(eventLoop)
            .channel(EpollServerDomainSocketChannel.class)
            .childHandler(
                new ChannelInitializer<EpollDomainSocketChannel>() {
                  @Override
                  protected void initChannel(EpollDomainSocketChannel channel) {
                    accept(channel, descriptors);
                  }
                })
            .bind(new DomainSocketAddress(config.socket().toString()))
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      String why = bound.cause().getMessage();
      close();
      throw new IOException("cannot listen: " + why, bound.cause());
    }
    listener = bound.channel();
    // Whoever runs executors on this host; directories above it may still keep them out.
    Files.setPosixFilePermissions(config.socket(), PosixFilePermissions.fromString("rw-rw-rw-"));
    LOG.info("short circuit listens socket={}", config.socket());
  }

  /** A socket that an earlier life of the server left; nothing else. */
  private void deleteLeftover() throws IOException {
    Path socket = config.socket();
    if (Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
      if (Files.isDirectory(socket, LinkOption.NOFOLLOW_LINKS)
          || Files.isRegularFile(socket, LinkOption.NOFOLLOW_LINKS)
          || Files.isSymbolicLink(socket)) {
        throw new IOException(socket + " is there and is no socket");
      }
      Files.delete(socket);
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // Nothing is left to do if closing fails.
  private void accept(EpollDomainSocketChannel channel, Descriptors descriptors) {
    counters.connected();
    channel.closeFuture().addListener(closed -> counters.disconnected());
    PeerCredentials credentials;
    try {
      credentials = channel.peerCredentials();
    } catch (IOException e) {
      LOG.debug("short circuit connection without a peer", e);
      channel.close();
      return;
    }
    String peer = "uid=" + credentials.uid() + " pid=" + credentials.pid();
    Consumer<String> denied =
        reason -> {
          counters.denied();
          denials.denied(peer, reason);
        };
    if (connections.size() >= config.maxConnections()) {
      denied.accept("too many connections, limit " + config.maxConnections());
      channel.close();
      return;
    }
    String user = Integer.toString(credentials.uid());
    if (!users.add(user, config.maxConnectionsPerUser())) {
      denied.accept("too many connections of its user, limit " + config.maxConnectionsPerUser());
      channel.close();
      return;
    }
    channel.closeFuture().addListener(closed -> users.remove(user));
    connections.add(channel);
    channel
        .pipeline()
        .addLast(RunFileRequests.decoder())
        .addLast(new RequestDeadline(config.firstRequestMs(), config.idleMs(), denied))
        .addLast(
            new RunFileRequests(
                handout::open,
                request -> guard.checkRunFiles(request, epoch),
                descriptors,
                counters,
                denied));
  }

  /** Closes every connection and ends the thread, within a bounded time. Idempotent. */
  @Override
  public synchronized void close() {
    if (eventLoop == null || eventLoop.isShuttingDown()) {
      return;
    }
    if (listener != null) {
      listener.close().awaitUninterruptibly(CLOSE_TIMEOUT_MS);
      try {
        Files.deleteIfExists(config.socket());
      } catch (IOException e) {
        LOG.warn("socket not deleted socket={} problem={}", config.socket(), e.toString());
      }
    }
    connections.close().awaitUninterruptibly(CLOSE_TIMEOUT_MS);
    eventLoop
        .shutdownGracefully(0, CLOSE_TIMEOUT_MS / 2, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(CLOSE_TIMEOUT_MS);
  }
}
