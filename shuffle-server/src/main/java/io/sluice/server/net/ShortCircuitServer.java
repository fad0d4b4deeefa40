package io.sluice.server.net;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
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
import io.sluice.common.file.LocalSockets;
import io.sluice.common.file.SocketIdentity;
import io.sluice.common.net.KeyedCounts;
import io.sluice.common.net.LimitReached;
import io.sluice.common.net.LingeringClose;
import io.sluice.proto.Error;
import io.sluice.proto.Status;
import io.sluice.server.disk.Descriptors;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.read.FileReads;
import io.sluice.transport.protocol.ConnectionGuard;
import io.sluice.transport.protocol.LocalSocketFrame;
import io.sluice.transport.protocol.ProofScope;
import io.sluice.transport.protocol.ServerHandshake;
import io.sluice.transport.server.DataTransportConfig;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on a Unix domain socket and sends descriptors of run files to clients. Thread-safe; start
 * once, close once.
 *
 * <p>A connection begins with the handshake of data connections. If authentication is enabled, both
 * sides prove in it that they know the key of the application's token, for this socket only.
 * Otherwise any process that can open the socket can read all shuffles.
 */
public final class ShortCircuitServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ShortCircuitServer.class);

  private static final int CLOSE_TIMEOUT_MS = 2_000;

  /** Maximum number of files that are being opened or sent, for one operating-system user. */
  private static final int MAX_PENDING_FILES_PER_USER = 1_024;

  /**
   * Send buffer of a connection. The kernel counts descriptors that clients have not accepted yet
   * against the limit of open files of the server's user; this buffer is full after some ten.
   */
  private static final int SEND_BUFFER_BYTES = 4 << 10;

  /** Maximum number of refused connections that are open until their peer has read the reason. */
  private static final int MAX_REFUSAL_REPLIES = 64;

  private static final int READ_BYTES =
      LocalSocketFrame.HEADER_LENGTH + LocalSocketFrame.RUN_FILES.maxLength();

  private static final Path PLACEHOLDER = Path.of("/dev/null");

  private final ShortCircuitConfig config;
  private final ServerHandshake.HelloHandler helloHandler;
  private final RequestedRunFiles opener;
  private final ConnectionGuard guard;
  private final ShortCircuitCounters counters;
  private final Denials denials;
  private final KeyedCounts users = new KeyedCounts();
  private final KeyedCounts pendingFiles = new KeyedCounts();
  private final ChannelGroup connections =
      new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);
  private EventLoopGroup eventLoop;
  private Channel listener;

  // Used by the event loop only.
  private int refusalReplies;

  /** Set before the first connection is accepted. */
  private volatile ProofScope scope;

  /** Open until the server is closed. */
  private FileChannel placeholder;

  /** Receives refused connections, on the event loop. Must not block. */
  public interface Denials {
    /**
     * @param peer user id and process id reported by the kernel
     */
    void denied(String peer, String reason);

    /** As {@link #denied}, for a connection beyond a limit. */
    void beyondLimit(String peer, String reason);
  }

  /**
   * @param helloHandler creates the reply to HELLO, as for data connections
   */
  public ShortCircuitServer(
      ShortCircuitConfig config,
      long epoch,
      ShuffleStore store,
      FileReads reads,
      ConnectionGuard guard,
      ServerHandshake.HelloHandler helloHandler,
      ShortCircuitCounters counters,
      Denials denials) {
    this.config = config;
    this.helloHandler = helloHandler;
    this.guard = guard;
    this.opener = new RequestedRunFiles(epoch, store, reads);
    this.counters = counters;
    this.denials = denials;
  }

  /**
   * Starts listening.
   *
   * @throws IOException if descriptors cannot be sent on this machine, or other users could replace
   *     the socket; the message is one line
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
    config.checkPath();
    deleteLeftover();
    placeholder = FileChannel.open(PLACEHOLDER, StandardOpenOption.READ);
    eventLoop =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("sluice-short-circuit", true), EpollIoHandler.newFactory());
    ChannelFuture bound =
        new ServerBootstrap()
            .group(eventLoop)
            .channel(EpollServerDomainSocketChannel.class)
            // Connections wait until the socket has been checked.
            .option(ChannelOption.AUTO_READ, false)
            .childOption(ChannelOption.SO_SNDBUF, SEND_BUFFER_BYTES)
            .childOption(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_BYTES))
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
    try {
      // All users, as executors run as any user; permissions of parent directories can restrict
      // access.
      Files.setPosixFilePermissions(config.socket(), PosixFilePermissions.fromString("rw-rw-rw-"));
      LocalSockets.check(config.socket().toString());
      scope = ProofScope.ofSocket(SocketIdentity.of(config.socket().toString()));
    } catch (IOException e) {
      close();
      throw e;
    }
    listener.config().setAutoRead(true);
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
      refuse(
          channel,
          peer,
          LimitReached.ofPort(config.maxConnections(), DataTransportConfig.MAX_CONNECTIONS.name()));
      return;
    }
    String user = Integer.toString(credentials.uid());
    if (!users.add(user, config.maxConnectionsPerUser())) {
      refuse(
          channel,
          peer,
          LimitReached.of(
              "of user id " + user,
              config.maxConnectionsPerUser(),
              DataTransportConfig.MAX_CONNECTIONS_PER_PEER.name()));
      return;
    }
    channel.closeFuture().addListener(closed -> users.remove(user));
    connections.add(channel);
    RunFileRequests.SentDescriptors sent =
        new RunFileRequests.SentDescriptors(descriptors, placeholder);
    LocalHandshake handshake =
        new LocalHandshake(
            guard,
            scope,
            helloHandler,
            application ->
                channel
                    .pipeline()
                    .addLast(
                        new RunFileRequests(
                            application, opener::open, pendingOf(user), sent, counters, denied)),
            denied);
    channel
        .pipeline()
        .addLast(new LocalFrameDecoder(handshake::expected, denied))
        .addLast(handshake)
        .addLast(new RequestDeadline(config.firstRequestMs(), config.idleMs(), denied));
  }

  /** Closes a connection beyond a limit; the first ones at a time get the reason. */
  @SuppressWarnings("FutureReturnValueIgnored") // A failure to close needs no handling.
  private void refuse(EpollDomainSocketChannel channel, String peer, String reason) {
    counters.denied();
    denials.beyondLimit(peer, reason);
    if (refusalReplies == MAX_REFUSAL_REPLIES) {
      channel.close();
      return;
    }
    refusalReplies++;
    channel.closeFuture().addListener(closed -> refusalReplies--);
    LingeringClose.refuse(
        channel,
        Unpooled.wrappedBuffer(
            LocalSocketFrame.ERROR.encode(
                Error.newBuilder().setStatus(Status.BUSY).setMessage(reason).build())));
  }

  private RunFileRequests.PendingFiles pendingOf(String user) {
    return new RunFileRequests.PendingFiles() {
      @Override
      public boolean reserve(int files) {
        return pendingFiles.add(user, files, MAX_PENDING_FILES_PER_USER);
      }

      @Override
      public void release(int files) {
        pendingFiles.remove(user, files);
      }
    };
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
    try {
      placeholder.close();
    } catch (IOException e) {
      LOG.debug("cannot close {}", PLACEHOLDER, e);
    }
  }
}
