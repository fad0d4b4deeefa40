package io.sluice.client.coordinator;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.sluice.client.security.ClientIdentity;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.proto.ShuffleServerControlGrpc.ShuffleServerControlBlockingStub;
import io.sluice.proto.UnregisterShuffleApplicationRequest;
import io.sluice.proto.UnregisterShufflesRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Unregisters an application, or its shuffles, at servers. Best effort. Shuffles that are added
 * while servers are called are unregistered together, so a server that does not reply delays the
 * calling thread, which also renews the lease, only once. Thread-safe.
 */
final class ServerUnregistration {
  private static final Logger LOG = LoggerFactory.getLogger(ServerUnregistration.class);

  /** Timeout for all servers together; the end of the lease deletes the remaining data. */
  static final long TIMEOUT_MS = 10_000;

  private final String application;
  private final ClientIdentity identity;
  private final DriverEnvironment environment;

  /** Shuffles to unregister, by server. */
  @GuardedBy("this")
  private Map<ServerId, List<Integer>> added = new HashMap<>();

  ServerUnregistration(String application, ClientIdentity identity, DriverEnvironment environment) {
    this.application = application;
    this.identity = identity;
    this.environment = environment;
  }

  /**
   * Adds a shuffle to unregister.
   *
   * @return whether {@link #unregisterAdded} must be called; otherwise an earlier caller calls it
   */
  synchronized boolean add(int shuffle, Collection<ServerId> servers) {
    boolean first = added.isEmpty();
    servers.forEach(
        server -> added.computeIfAbsent(server, unused -> new ArrayList<>()).add(shuffle));
    return first && !added.isEmpty();
  }

  private synchronized Map<ServerId, List<Integer>> takeAdded() {
    Map<ServerId, List<Integer>> taken = added;
    added = new HashMap<>();
    return taken;
  }

  /** Unregisters the added shuffles; ten seconds for all servers together. */
  void unregisterAdded() {
    Map<ServerId, List<Integer>> shuffles = takeAdded();
    callEach(
        shuffles.keySet(),
        (server, stub) ->
            stub.unregisterShuffles(
                UnregisterShufflesRequest.newBuilder()
                    .setApplication(application)
                    .addAllShuffles(shuffles.get(server))
                    .build()));
  }

  /** Unregisters the whole application; ten seconds for all servers together. */
  void unregisterApplication(Collection<ServerId> servers) {
    callEach(
        servers,
        (server, stub) ->
            stub.unregisterShuffleApplication(
                UnregisterShuffleApplicationRequest.newBuilder()
                    .setApplication(application)
                    .build()));
  }

  /** Each server has an equal share of the time that the servers before it left. */
  private void callEach(
      Collection<ServerId> servers, BiConsumer<ServerId, ShuffleServerControlBlockingStub> call) {
    long deadline = environment.nanoTime().getAsLong() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
    int left = servers.size();
    for (ServerId server : servers) {
      long leftNanos = deadline - environment.nanoTime().getAsLong();
      if (leftNanos <= 0) {
        return;
      }
      call(server, call, leftNanos / left--);
    }
  }

  private void call(
      ServerId server, BiConsumer<ServerId, ShuffleServerControlBlockingStub> call, long nanos) {
    ManagedChannel channel =
        environment
            .channels()
            .open(server.getHost(), server.getRpcPort(), identity.applicationProofs());
    try {
      call.accept(
          server,
          ShuffleServerControlGrpc.newBlockingStub(channel)
              .withDeadlineAfter(nanos, TimeUnit.NANOSECONDS));
    } catch (StatusRuntimeException e) {
      // The end of the lease deletes the data.
      LOG.debug(
          "data not unregistered at server application={} server={} reason={}",
          application,
          server.getName(),
          e.getStatus());
    } finally {
      channel.shutdownNow();
    }
  }
}
