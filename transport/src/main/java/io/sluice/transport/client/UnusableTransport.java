package io.sluice.transport.client;

import io.sluice.proto.ServerId;
import java.util.concurrent.CompletableFuture;

/**
 * Transport of a client with an invalid configuration: every connection fails, so that pushes use
 * local output. Immutable.
 */
public final class UnusableTransport implements DataTransport {
  private final String why;

  /**
   * @param why one-line reason
   */
  public UnusableTransport(String why) {
    this.why = why;
  }

  @Override
  public CompletableFuture<DataConnection> connect(
      ServerId server, String application, String client) {
    return CompletableFuture.failedFuture(new ConnectionLostException(why));
  }

  @Override
  public void close() {
    // Nothing to close.
  }
}
