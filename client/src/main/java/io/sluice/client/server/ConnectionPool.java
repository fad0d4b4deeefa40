package io.sluice.client.server;

import io.sluice.proto.ServerId;
import io.sluice.transport.client.ConnectionLostException;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The connections of one process for one application: a few to each server, shared by all tasks,
 * made when first asked for and replaced when they have ended. Thread-safe; has no thread.
 */
public final class ConnectionPool implements AutoCloseable {
  private final DataTransport transport;
  private final String application;
  private final String clientName;
  private final int perServer;
  private final AtomicInteger lanes = new AtomicInteger();

  /** By {@link #peer}. */
  private final ConcurrentMap<String, AtomicReferenceArray<CompletableFuture<DataConnection>>>
      peers = new ConcurrentHashMap<>();

  private volatile boolean closed;

  /**
   * @param transport takes: closed with the pool
   * @param clientName who calls, for the servers' logs
   */
  public ConnectionPool(
      DataTransport transport, String application, String clientName, int perServer) {
    this.transport = transport;
    this.application = application;
    this.clientName = clientName;
    this.perServer = perServer;
  }

  /**
   * A number for a task to keep and give to {@link #connection}: with one number, requests to a
   * server stay on one connection, and so in order, while it lasts.
   */
  public int nextLane() {
    return lanes.getAndIncrement() & Integer.MAX_VALUE;
  }

  /**
   * A connection to the server, at once if there is one. It is shared: the caller does not close
   * it.
   *
   * @return fails as {@link DataTransport#connect}; asking again then tries again
   */
  public CompletableFuture<DataConnection> connection(ServerId server, int lane) {
    AtomicReferenceArray<CompletableFuture<DataConnection>> slots =
        peers.computeIfAbsent(peer(server), p -> new AtomicReferenceArray<>(perServer));
    int slot = lane % perServer;
    while (!closed) {
      CompletableFuture<DataConnection> present = slots.get(slot);
      if (present != null && isUsable(present)) {
        return present;
      }
      CompletableFuture<DataConnection> promise = new CompletableFuture<>();
      if (slots.compareAndSet(slot, present, promise)) {
        connect(server, promise);
        return promise;
      }
    }
    return CompletableFuture.failedFuture(new ConnectionLostException("client closed"));
  }

  /** Where a server listens: a server that comes back elsewhere is another peer. */
  private static String peer(ServerId server) {
    return server.getHost() + " " + server.getRpcPort() + " " + server.getNettyPort();
  }

  private void connect(ServerId server, CompletableFuture<DataConnection> promise) {
    // Its outcome reaches the promise.
    CompletableFuture<DataConnection> unused =
        transport
            .connect(server, application, clientName)
            .whenComplete((connection, failure) -> connected(promise, connection, failure));
  }

  private void connected(
      CompletableFuture<DataConnection> promise, DataConnection connection, Throwable failure) {
    if (failure != null) {
      promise.completeExceptionally(failure);
      return;
    }
    promise.complete(connection);
    if (closed) {
      connection.close();
    }
  }

  private static boolean isUsable(CompletableFuture<DataConnection> future) {
    if (!future.isDone()) {
      return true;
    }
    return !future.isCompletedExceptionally() && future.join().isOpen();
  }

  /** Closes every connection and the transport. Idempotent. */
  @Override
  public void close() {
    closed = true;
    transport.close();
  }
}
