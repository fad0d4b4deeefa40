package io.sluice.client.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.auth.ConnectionProofs;
import io.sluice.proto.RunFileKind;
import io.sluice.proto.RunFileRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Run files on this host, by descriptors that their server hands out. Thread-safe; one event loop
 * for all servers, started when the first file is opened.
 *
 * <p>A server whose socket cannot be reached from here is not asked again in its life: another
 * host, another container, another user.
 */
final class LocalRunFiles implements RunFileOpener {
  private static final Logger LOG = LoggerFactory.getLogger(LocalRunFiles.class);

  private static final int CLOSE_TIMEOUT_MS = 2_000;

  /** Up to and with the run's name; see the run format. */
  private static final int NAMED_HEADER_BYTES = 24;

  private final Executor executor;
  private final ApplicationCredentials credentials;
  private final ReceivedDescriptors received = new ReceivedDescriptors();

  /** By {@link #life}. */
  private final Map<String, Boolean> reachable = new ConcurrentHashMap<>();

  private final Map<String, DescriptorConnection> connections = new ConcurrentHashMap<>();
  // Guarded by this.
  private EventLoopGroup eventLoops;
  private boolean closed;

  /**
   * @param executor reads what has to be read to open a file
   * @param credentials prove the application where servers ask for it
   */
  LocalRunFiles(Executor executor, ApplicationCredentials credentials) {
    this.executor = executor;
    this.credentials = credentials;
  }

  @Override
  public RunFileKind kind() {
    return RunFileKind.LOCAL_FILE;
  }

  @Override
  public boolean mayOpen(RunFileSource source) {
    return !source.localSocket().isEmpty()
        && reachable.computeIfAbsent(
            life(source),
            life -> Files.isWritable(Path.of(source.localSocket())) && canPassDescriptors());
  }

  /** One life of the server behind a socket. */
  private static String life(RunFileSource source) {
    return source.epoch() + " " + source.localSocket();
  }

  /** Asked only where a server offers files: the answer takes a native library. */
  private static boolean canPassDescriptors() {
    try {
      return Epoll.isAvailable();
    } catch (LinkageError e) {
      LOG.debug("files of servers on this host are not read directly", e);
      return false;
    }
  }

  @Override
  public CompletableFuture<RunFileInput> open(RunFileSource source, String name) {
    DescriptorConnection connection = connection(source.localSocket());
    if (connection == null) {
      return CompletableFuture.failedFuture(new IOException("the client is closed"));
    }
    return connection
        .request(
            proved(
                RunFileRequest.newBuilder()
                    .setShuffle(source.shuffle())
                    .setEpoch(source.epoch())
                    .addNames(name)
                    .build()))
        .whenComplete(
            (descriptor, failure) -> {
              if (failure != null) {
                notReachable(source, failure);
              }
            })
        .thenApply(descriptor -> input(source, descriptor))
        .thenCompose(input -> verified(input, name));
  }

  private RunFileRequest proved(RunFileRequest request) {
    return credentials
        .newest()
        .map(credential -> ConnectionProofs.prove(request, credential))
        .orElse(request);
  }

  private DescriptorConnection connection(String socket) {
    synchronized (this) {
      if (closed) {
        return null;
      }
      if (eventLoops == null) {
        eventLoops =
            new MultiThreadIoEventLoopGroup(
                1,
                new DefaultThreadFactory("sluice-short-circuit", true),
                EpollIoHandler.newFactory());
      }
      EventLoop loop = eventLoops.next();
      return connections.compute(
          socket,
          (path, present) ->
              present != null && present.isOpen() ? present : new DescriptorConnection(loop, path));
    }
  }

  private void notReachable(RunFileSource source, Throwable failure) {
    Boolean before = reachable.put(life(source), false);
    if (before == null || before) {
      LOG.info(
          "run files of a server are fetched, not read directly server={} socket={} reason={}",
          source.server().getName(),
          source.localSocket(),
          failure.getMessage());
    }
  }

  private ChannelInput input(RunFileSource source, FileDescriptor descriptor) {
    try {
      return new ChannelInput(received.open(descriptor));
    } catch (IOException e) {
      notReachable(source, e);
      throw new UncheckedIOException(e);
    }
  }

  private CompletableFuture<RunFileInput> verified(ChannelInput input, String name) {
    try {
      return CompletableFuture.supplyAsync(() -> verify(input, name), executor);
    } catch (RejectedExecutionException e) {
      input.close();
      return CompletableFuture.failedFuture(new IOException("the client is closed", e));
    }
  }

  /** Makes sure that it is the file that was asked for: the socket may be another server's. */
  private static RunFileInput verify(ChannelInput input, String name) {
    ByteBuf header = Unpooled.buffer(NAMED_HEADER_BYTES);
    try {
      input.read(0, header, NAMED_HEADER_BYTES);
      String found = String.format("%016x%016x.run", header.getLongLE(8), header.getLongLE(16));
      if (header.getIntLE(0) != magic() || !found.equals(name)) {
        throw new IOException("the server gave run " + found + " for " + name);
      }
      return input;
    } catch (IOException e) {
      input.close();
      throw new UncheckedIOException(e);
    }
  }

  private static int magic() {
    return 'S' | 'L' << 8 | 'R' << 16 | 'N' << 24;
  }

  @Override
  public void close() {
    EventLoopGroup ending;
    synchronized (this) {
      closed = true;
      ending = eventLoops;
    }
    connections.values().forEach(DescriptorConnection::close);
    if (ending != null) {
      ending
          .shutdownGracefully(0, CLOSE_TIMEOUT_MS / 2, TimeUnit.MILLISECONDS)
          .awaitUninterruptibly(CLOSE_TIMEOUT_MS);
    }
  }
}
