package io.sluice.transport.client;

import io.sluice.proto.ServerId;
import java.util.concurrent.CompletableFuture;

/**
 * Makes connections. Owns its event loops, a few threads whatever the number of connections.
 * Thread-safe.
 */
public interface DataTransport extends AutoCloseable {
  /**
   * Connects and says HELLO.
   *
   * @param client who calls, for the server's logs
   * @return fails with {@link ConnectionLostException} if the server cannot be reached within the
   *     connect timeout, or with SluiceException BAD_VERSION, DRAINING or DENIED if it refuses
   */
  CompletableFuture<DataConnection> connect(ServerId server, String application, String client);

  /** Closes every connection and ends the threads, within a bounded time. Idempotent. */
  @Override
  void close();
}
