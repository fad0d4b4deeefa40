package io.sluice.client.file;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.FileDescriptor;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.proto.RunFileKind;
import io.sluice.proto.RunFileRequest;
import io.sluice.transport.protocol.ConnectionProofs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens run files on this host with descriptors that their server passes. Thread-safe; one
 * connection to each server, opened with the first file.
 *
 * <p>A server whose socket cannot be reached is not tried again until it restarts: it is on another
 * host, in another container, or runs as another user.
 */
final class LocalRunFiles implements RunFileOpener {
  private static final Logger LOG = LoggerFactory.getLogger(LocalRunFiles.class);

  private final Executor executor;
  private final ApplicationCredentials credentials;
  private final ReceivedDescriptors received = new ReceivedDescriptors();

  /** Whether the socket of a server can be reached, by {@link #serverStart}. */
  private final Map<String, Boolean> reachable = new ConcurrentHashMap<>();

  // By socket. Guarded by this.
  private final Map<String, DescriptorConnection> connections = new HashMap<>();
  private boolean closed;

  /**
   * @param executor runs the requests for descriptors, and reads file headers
   * @param credentials authenticate the application to servers
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
            serverStart(source),
            serverStart -> Files.isWritable(Path.of(source.localSocket())) && canPassDescriptors());
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
      return new ChannelInput(received.open(receive(source.localSocket(), request)));
    } catch (IOException e) {
      notReachable(source, e);
      throw new UncheckedIOException(e);
    }
  }

  private FileDescriptor receive(String socket, RunFileRequest request) throws IOException {
    DescriptorConnection connection = connection(socket);
    try {
      return connection.request(proved(request));
    } catch (IOException e) {
      if (!connection.hasAnswered()) {
        throw e;
      }
      // The connection worked before: the server may have restarted, so connect again.
      return connection(socket).request(proved(request));
    }
  }

  private RunFileRequest proved(RunFileRequest request) throws IOException {
    return credentials
        .forConnection()
        .map(credential -> ConnectionProofs.prove(request, credential))
        .orElse(request);
  }

  private synchronized DescriptorConnection connection(String socket) throws IOException {
    if (closed) {
      throw new IOException("the client is closed");
    }
    DescriptorConnection present = connections.get(socket);
    if (present == null || !present.isOpen()) {
      present = DescriptorConnection.open(socket, System::nanoTime);
      connections.put(socket, present);
    }
    return present;
  }

  private void notReachable(RunFileSource source, Throwable failure) {
    Boolean before = reachable.put(serverStart(source), false);
    if (before == null || before) {
      LOG.info(
          "direct reads of local run files not possible, fetching from the server server={}"
              + " socket={} reason={}",
          source.server().getName(),
          source.localSocket(),
          failure.getMessage());
    }
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
