package io.sluice.server.cluster;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.ShuffleId;
import io.sluice.server.log.ShuffleKey;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/** A move target over a data connection, with one request at a time. */
final class ConnectedTarget implements MoveTarget {
  private final String server;
  private final DataTransport transport;
  private final DataConnection connection;
  private final long timeoutMs;

  /**
   * @param server server name for messages
   * @param transport takes
   * @param connection takes
   * @param timeoutMs timeout of each request, longer than that of the transport
   */
  ConnectedTarget(
      String server, DataTransport transport, DataConnection connection, long timeoutMs) {
    this.server = server;
    this.transport = transport;
    this.connection = connection;
    this.timeoutMs = timeoutMs;
  }

  @Override
  public long epoch() {
    return connection.epoch();
  }

  @Override
  public long wholeSinceEpoch() {
    return connection.wholeSinceEpoch();
  }

  @Override
  public int maxBodyBytes() {
    return connection.maxBodyLength();
  }

  @Override
  public void push(ShuffleKey shuffle, ByteBuf body) throws IOException, InterruptedException {
    Push push =
        Push.newBuilder()
            .setShuffle(
                ShuffleId.newBuilder()
                    .setApplication(shuffle.application())
                    .setShuffle(shuffle.shuffle()))
            .setEpoch(epoch())
            .build();
    PushAck ack = await(server, connection.push(push, body.retainedSlice()), timeoutMs);
    if (ack.getEpoch() != epoch()) {
      throw new SluiceException(
          StatusCode.STALE_EPOCH,
          server + " acknowledged with a different epoch: " + ack.getEpoch());
    }
  }

  /**
   * Waits for the reply of a server.
   *
   * @throws SluiceException if the server refuses the request
   * @throws SSLException if the TLS handshake fails
   * @throws IOException if the server does not answer
   */
  static <T> T await(String server, CompletableFuture<T> reply, long timeoutMs)
      throws IOException, InterruptedException {
    try {
      return reply.get(timeoutMs, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw failure(e.getCause());
    } catch (TimeoutException e) {
      throw new IOException(server + " did not answer within " + timeoutMs + " ms", e);
    }
  }

  private static IOException failure(Throwable cause) {
    if (cause instanceof SluiceException refusal) {
      return new SluiceException(refusal.code(), refusal.getMessage(), refusal);
    }
    for (Throwable at = cause; at != null; at = at.getCause()) {
      if (at instanceof SSLException) {
        return new SSLException(cause.getMessage(), cause);
      }
    }
    return new IOException(cause.getMessage(), cause);
  }

  @Override
  public void close() {
    connection.close();
    transport.close();
  }
}
