package io.sluice.client.coordinator;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.sluice.client.security.ClientIdentity;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.proto.UnregisterShuffleApplicationRequest;
import io.sluice.proto.UnregisterShufflesRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Unregisters an application, or its shuffles, at servers. Best effort; stateless. */
final class ServerUnregistration {
  private static final Logger LOG = LoggerFactory.getLogger(ServerUnregistration.class);

  /** Timeout for all servers together; the end of the lease deletes the remaining data. */
  static final long TIMEOUT_MS = 10_000;

  private final String application;
  private final ClientIdentity identity;
  private final DriverEnvironment environment;

  ServerUnregistration(String application, ClientIdentity identity, DriverEnvironment environment) {
    this.application = application;
    this.identity = identity;
    this.environment = environment;
  }

  /**
   * Unregisters shuffles, or the whole application, at servers; ten seconds for all servers
   * together.
   *
   * @param shuffleNumbers shuffles to unregister; empty: the whole application
   */
  void unregister(Iterable<ServerId> where, List<Integer> shuffleNumbers) {
    long deadline = environment.nanoTime().getAsLong() + TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
    Map<String, ManagedChannel> channels = new HashMap<>();
    try {
      for (ServerId server : where) {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - environment.nanoTime().getAsLong());
        if (leftMs <= 0) {
          return;
        }
        ManagedChannel channel =
            channels.computeIfAbsent(
                server.getName(),
                name ->
                    environment
                        .channels()
                        .open(server.getHost(), server.getRpcPort(), identity.applicationProofs()));
        unregister(server, channel, shuffleNumbers, leftMs);
      }
    } finally {
      channels.values().forEach(ManagedChannel::shutdownNow);
    }
  }

  private void unregister(
      ServerId server, ManagedChannel channel, List<Integer> shuffleNumbers, long timeoutMs) {
    try {
      ShuffleServerControlGrpc.ShuffleServerControlBlockingStub stub =
          ShuffleServerControlGrpc.newBlockingStub(channel)
              .withDeadlineAfter(timeoutMs, TimeUnit.MILLISECONDS);
      if (shuffleNumbers.isEmpty()) {
        stub.unregisterShuffleApplication(
            UnregisterShuffleApplicationRequest.newBuilder().setApplication(application).build());
      } else {
        stub.unregisterShuffles(
            UnregisterShufflesRequest.newBuilder()
                .setApplication(application)
                .addAllShuffles(shuffleNumbers)
                .build());
      }
    } catch (StatusRuntimeException e) {
      // The end of the lease deletes the data.
      LOG.debug(
          "shuffles not unregistered at server application={} shuffles={} server={} reason={}",
          application,
          shuffleNumbers,
          server.getName(),
          e.getStatus());
    }
  }
}
