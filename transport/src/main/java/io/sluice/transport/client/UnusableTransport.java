package io.sluice.transport.client;

import io.sluice.proto.ServerId;
import java.util.concurrent.CompletableFuture;

/** Of a client that cannot connect to anybody: what is pushed goes its other ways. Immutable. */
public final class UnusableTransport implements DataTransport {
  private final String why;

  /**
   * @param why in one line
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
    // There is nothing.
  }
}
