package io.sluice.client.server;

import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.proto.ServerId;
import io.sluice.transport.client.ConnectionLostException;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The server connections of one process. All tasks share them. Each server has a fixed number of
 * slots; a slot gets a connection on first use, and a new one after the connection has closed or
 * when its credential becomes old. A replaced connection is not closed, because tasks may use it:
 * the server closes it when its token expires. Thread-safe; starts no thread.
 */
public final class ConnectionPool implements AutoCloseable {
  private final DataTransport transport;
  private final String application;
  private final String clientName;
  private final int perServer;
  private final ApplicationCredentials credentials;
  private final AtomicInteger nextSlot = new AtomicInteger();

  /** By {@link #peer}. */
  private final ConcurrentMap<String, AtomicReferenceArray<CompletableFuture<DataConnection>>>
      peers = new ConcurrentHashMap<>();

  private volatile boolean closed;

  /**
   * @param transport takes: closed with the pool
   * @param clientName name of this process in the logs of servers
   * @param credentials credentials of new connections, which the transport shares
   */
  public ConnectionPool(
      DataTransport transport,
      String application,
      String clientName,
      int perServer,
      ApplicationCredentials credentials) {
    this.transport = transport;
    this.application = application;
    this.clientName = clientName;
    this.perServer = perServer;
    this.credentials = credentials;
  }

  /**
   * Returns the slot number for a new task, which passes it to {@link #connection}. A task that
   * always uses one slot has one connection to each server, so its requests arrive in order.
   */
  public int nextSlot() {
    return nextSlot.getAndIncrement() & Integer.MAX_VALUE;
  }

  /**
   * Returns the connection in a slot, and connects if there is none. The connection is shared: the
   * caller does not close it.
   *
   * @param slot from {@link #nextSlot}
   */
  public CompletableFuture<DataConnection> connection(ServerId server, int slot) {
    AtomicReferenceArray<CompletableFuture<DataConnection>> slots =
        peers.computeIfAbsent(peer(server), p -> new AtomicReferenceArray<>(perServer));
    int index = slot % perServer;
    while (!closed) {
      CompletableFuture<DataConnection> present = slots.get(index);
      if (present != null && isUsable(present)) {
        return present;
      }
      CompletableFuture<DataConnection> promise = new CompletableFuture<>();
      if (slots.compareAndSet(index, present, promise)) {
        connect(server, promise);
        return promise;
      }
    }
    return CompletableFuture.failedFuture(new ConnectionLostException("client closed"));
  }

  /** The address of a server: a server that restarts at another address is another peer. */
  private static String peer(ServerId server) {
    return server.getHost() + " " + server.getRpcPort() + " " + server.getNettyPort();
  }

  private void connect(ServerId server, CompletableFuture<DataConnection> promise) {
    // The result completes the promise.
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

  private boolean isUsable(CompletableFuture<DataConnection> future) {
    if (!future.isDone()) {
      return true;
    }
    return !future.isCompletedExceptionally()
        && future.join().isOpen()
        && !hasOldCredential(future.join());
  }

  private boolean hasOldCredential(DataConnection connection) {
    Optional<ApplicationCredential> used = connection.credential();
    Optional<ApplicationCredential> newest = credentials.newest();
    return used.isPresent() && newest.isPresent() && used.get().shouldYieldTo(newest.get());
  }

  /** Closes every connection and the transport. Idempotent. */
  @Override
  public void close() {
    closed = true;
    transport.close();
  }
}
