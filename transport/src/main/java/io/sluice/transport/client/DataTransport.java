package io.sluice.transport.client;

import io.sluice.proto.ServerId;
import java.util.concurrent.CompletableFuture;

/**
 * Opens connections to servers. Owns its event loops; their number does not depend on the number of
 * connections. Thread-safe.
 */
public interface DataTransport extends AutoCloseable {
  /**
   * Connects and performs the handshake.
   *
   * @param client name of the client, for the server's logs
   * @return fails with {@link ConnectionLostException} if the server is unreachable within the
   *     connect timeout, or with SluiceException BAD_VERSION, DRAINING or DENIED if the server
   *     refuses the connection
   */
  CompletableFuture<DataConnection> connect(ServerId server, String application, String client);

  /** Closes every connection and stops the threads, within a bounded time. Idempotent. */
  @Override
  void close();
}
