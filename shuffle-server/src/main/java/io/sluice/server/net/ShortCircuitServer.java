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
 * Listens on a Unix domain socket and sends descriptors of run files to clients. Thread-safe; start
 * once, close once.
 *
 * <p>If authentication is enabled, a connection must prove its application, as on the data port.
 * Otherwise any process that can open the socket can read all shuffles.
 */
public final class ShortCircuitServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ShortCircuitServer.class);

  private static final int CLOSE_TIMEOUT_MS = 2_000;

  private final ShortCircuitConfig config;
  private final long epoch;
  private final RequestedRunFiles opener;
  private final ConnectionGuard guard;
  private final ShortCircuitCounters counters;
  private final Denials denials;
  private final KeyedCounts users = new KeyedCounts();
  private final ChannelGroup connections =
      new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
  private EventLoopGroup eventLoop;
  private Channel listener;

  /** Receives refused connections, on the event loop. Must not block. */
  @FunctionalInterface
  public interface Denials {
    /**
     * @param peer user id and process id reported by the kernel
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
    this.opener = new RequestedRunFiles(epoch, store, reads);
    this.counters = counters;
    this.denials = denials;
  }

  /**
   * Starts listening.
   *
   * @throws IOException if descriptors cannot be sent on this machine; the message is one line
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
          "socket path of " + path.length + " bytes, maximum " + ShortCircuitConfig.MAX_PATH_BYTES);
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
      throw new IOException("cannot listen on the socket: " + why, bound.cause());
    }
    listener = bound.channel();
    // All users, as executors run as any user; permissions of parent directories can restrict
    // access.
    Files.setPosixFilePermissions(config.socket(), PosixFilePermissions.fromString("rw-rw-rw-"));
    LOG.info("listening for short-circuit reads socket={}", config.socket());
  }

  /**
   * Deletes a socket that an earlier server process left; fails if the path is another kind of
   * file.
   */
  private void deleteLeftover() throws IOException {
    Path socket = config.socket();
    if (Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
      if (Files.isDirectory(socket, LinkOption.NOFOLLOW_LINKS)
          || Files.isRegularFile(socket, LinkOption.NOFOLLOW_LINKS)
          || Files.isSymbolicLink(socket)) {
        throw new IOException(
            socket
                + " exists and is not a socket; remove it or set"
                + " rss.server.shortcircuit.socket");
      }
      Files.delete(socket);
    }
  }

  @SuppressWarnings("FutureReturnValueIgnored") // A failure to close needs no handling.
  private void accept(EpollDomainSocketChannel channel, Descriptors descriptors) {
    counters.connected();
    channel.closeFuture().addListener(closed -> counters.disconnected());
    PeerCredentials credentials;
    try {
      credentials = channel.peerCredentials();
    } catch (IOException e) {
      LOG.debug("cannot read the peer credentials of a short-circuit connection", e);
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
      denied.accept("too many connections of this user, limit " + config.maxConnectionsPerUser());
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
                opener::open,
                request -> guard.checkRunFiles(request, epoch),
                descriptors,
                counters,
                denied));
  }

  /** Closes all connections and stops the event loop, within a bounded time. Idempotent. */
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
        LOG.warn(
            "cannot delete the socket of short-circuit reads socket={} problem=\"{}\"",
            config.socket(),
            e.toString());
      }
    }
    connections.close().awaitUninterruptibly(CLOSE_TIMEOUT_MS);
    eventLoop
        .shutdownGracefully(0, CLOSE_TIMEOUT_MS / 2, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(CLOSE_TIMEOUT_MS);
  }
}
