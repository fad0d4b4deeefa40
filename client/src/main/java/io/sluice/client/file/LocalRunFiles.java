package io.sluice.client.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.FileDescriptor;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.file.LocalSockets;
import io.sluice.common.file.SocketIdentity;
import io.sluice.common.tls.ClientTls;
import io.sluice.proto.RunFileKind;
import io.sluice.proto.RunFileRequest;
import io.sluice.transport.protocol.ClientHandshake;
import io.sluice.transport.protocol.ProofScope;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens run files on this host with descriptors that their server passes. Thread-safe; one
 * connection to each server, opened with the first file.
 *
 * <p>A socket is not used if another user than its owner and root can have created it ({@link
 * LocalSockets}). With a credential, both sides prove in the handshake that they know its key, for
 * the file of this socket only: a process that listens in place of the server cannot forward it.
 *
 * <p>A server whose socket cannot be reached is on another host, in another container, runs as
 * another user, or refuses the connection at a limit. It is tried again after {@link #RETRY_MS}, or
 * when it has restarted.
 */
final class LocalRunFiles implements RunFileOpener {
  private static final Logger LOG = LoggerFactory.getLogger(LocalRunFiles.class);

  /** Name of these connections for servers. */
  private static final String CLIENT = "run files";

  /** Time for which a socket that could not be used is not tried again. */
  static final long RETRY_MS = 60_000;

  private final Executor executor;
  private final ApplicationCredentials credentials;
  private final ClientTls tls;
  private final LongSupplier nanoTime;
  private final ReceivedDescriptors received = new ReceivedDescriptors();

  /** By {@link #serverStart}. */
  private final Map<String, Reachability> known = new ConcurrentHashMap<>();

  // By socket. Guarded by this.
  private final Map<String, DescriptorConnection> connections = new HashMap<>();
  private boolean closed;

  /**
   * Whether the socket of a server can be used.
   *
   * @param sinceNanos time of this result
   * @param logged whether a failure has been logged since the server started
   */
  private record Reachability(boolean reachable, long sinceNanos, boolean logged) {}

  /**
   * @param executor runs the requests for descriptors, and reads file headers
   * @param tls has the names in the identities of servers
   * @param credentials authenticate the application to servers
   * @param nanoTime monotonic time, as {@link System#nanoTime}
   */
  LocalRunFiles(
      Executor executor, ApplicationCredentials credentials, ClientTls tls, LongSupplier nanoTime) {
    this.executor = executor;
    this.credentials = credentials;
    this.tls = tls;
    this.nanoTime = nanoTime;
  }

  @Override
  public RunFileKind kind() {
    return RunFileKind.LOCAL_FILE;
  }

  @Override
  public boolean mayOpen(RunFileSource source) {
    return !source.localSocket().isEmpty()
        && known
            .compute(
                serverStart(source),
                (start, before) -> isDue(before) ? check(source, before) : before)
            .reachable();
  }

  private boolean isDue(Reachability before) {
    return before == null
        || (!before.reachable()
            && nanoTime.getAsLong() - before.sinceNanos()
                >= TimeUnit.MILLISECONDS.toNanos(RETRY_MS));
  }

  private Reachability check(RunFileSource source, Reachability before) {
    boolean logged = before != null && before.logged();
    Path socket = Paths.get(source.localSocket());
    if (!Files.isWritable(socket) || !canPassDescriptors()) {
      return new Reachability(false, nanoTime.getAsLong(), logged);
    }
    try {
      LocalSockets.check(source.localSocket());
      return new Reachability(true, nanoTime.getAsLong(), logged);
    } catch (IOException e) {
      return notReachable(source, e, before);
    }
  }

  /** Key of one start of the server at a socket. */
  private static String serverStart(RunFileSource source) {
    return source.epoch() + " " + source.localSocket();
  }

  /** Called only if a server offers descriptors, because the check loads a native library. */
  private static boolean canPassDescriptors() {
    try {
      return Epoll.isAvailable();
    } catch (LinkageError e) {
      LOG.debug("direct reads of local run files not available", e);
      return false;
    }
  }

  @Override
  public CompletableFuture<RunFileInput> open(RunFileSource source, String name) {
    try {
      return CompletableFuture.supplyAsync(() -> verified(receive(source, name), name), executor);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(new IOException("the client is closed", e));
    }
  }

  private ChannelInput receive(RunFileSource source, String name) {
    RunFileRequest request =
        RunFileRequest.newBuilder()
            .setShuffle(source.shuffle())
            .setEpoch(source.epoch())
            .addNames(name)
            .build();
    try {
      return new ChannelInput(received.open(receive(source, request)));
    } catch (IOException e) {
      known.compute(serverStart(source), (start, before) -> notReachable(source, e, before));
      throw new UncheckedIOException(e);
    }
  }

  private FileDescriptor receive(RunFileSource source, RunFileRequest request) throws IOException {
    DescriptorConnection connection = connection(source);
    boolean worked = connection.isGreeted();
    try {
      return connection.request(request);
    } catch (DescriptorConnection.OtherServerException e) {
      throw e;
    } catch (IOException e) {
      if (!worked) {
        throw e;
      }
      // The server may have restarted, so connect again.
      return connection(source).request(request);
    }
  }

  private synchronized DescriptorConnection connection(RunFileSource source) throws IOException {
    String socket = source.localSocket();
    if (closed) {
      throw new IOException("the client is closed");
    }
    DescriptorConnection present = connections.get(socket);
    if (present == null || !present.isOpen()) {
      // Its directories do not change: only root and its owner can write to them.
      LocalSockets.check(socket);
      ProofScope scope = ProofScope.ofSocket(SocketIdentity.of(socket));
      present =
          DescriptorConnection.open(
              socket,
              new ClientHandshake(
                  source.shuffle().getApplication(),
                  CLIENT,
                  credentials.forConnection(),
                  scope,
                  tls.peerName(source.server().getHost())),
              nanoTime);
      connections.put(socket, present);
    }
    return present;
  }

  /** Records a failure, and logs the first one of each server start. */
  private Reachability notReachable(RunFileSource source, Throwable failure, Reachability before) {
    if (before == null || !before.logged()) {
      LOG.info(
          "direct reads of local run files not possible, fetching from the server server={}"
              + " socket={} reason={}",
          source.server().getName(),
          source.localSocket(),
          failure.getMessage());
    }
    return new Reachability(false, nanoTime.getAsLong(), true);
  }

  /**
   * Verifies that the descriptor is of the requested file: the socket may belong to another server.
   */
  private static RunFileInput verified(ChannelInput input, String name) {
    ByteBuf header = Unpooled.buffer(RunFileHeader.LENGTH);
    try {
      input.read(0, header, RunFileHeader.LENGTH);
      RunFileHeader.check(header, name);
      return input;
    } catch (IOException e) {
      input.close();
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    List<DescriptorConnection> ending;
    synchronized (this) {
      closed = true;
      ending = List.copyOf(connections.values());
    }
    ending.forEach(DescriptorConnection::close);
  }
}
