package io.sluice.client.coordinator;

import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.sluice.common.auth.UnprovenPeerException;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.ClientConfigurationReply;
import io.sluice.proto.ClientConfigurationRequest;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.CoordinatorGrpc.CoordinatorBlockingStub;
import io.sluice.proto.RegisterApplicationReply;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.RenewLeaseReply;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.UnregisterApplicationReply;
import io.sluice.proto.UnregisterApplicationRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends requests to any coordinator that replies, and prefers it for later requests. Thread-safe:
 * calls block the caller, for a bounded time. A refusal is a reply; another coordinator is tried
 * only if there is no reply.
 */
public final class CoordinatorClient implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CoordinatorClient.class);

  private static final long PAUSE_BETWEEN_ROUNDS_MS = 200;

  private final CoordinatorClientConfig config;
  private final DriverEnvironment environment;
  private final List<Peer> peers = new ArrayList<>();
  private volatile int preferred;
  private volatile boolean closed;

  /** One coordinator. Guarded by itself. */
  private static final class Peer {
    private final HostPort address;
    private final List<ClientInterceptor> proofs;
    private final DriverEnvironment.Channels channels;
    private ManagedChannel channel;
    private boolean closed;

    Peer(HostPort address, List<ClientInterceptor> proofs, DriverEnvironment.Channels channels) {
      this.address = address;
      this.proofs = proofs;
      this.channels = channels;
    }

    synchronized ManagedChannel channel() {
      if (channel == null) {
        channel = channels.open(address.host(), address.port(), proofs);
        if (closed) {
          channel.shutdownNow();
        }
      }
      return channel;
    }

    /**
     * Drops a failed channel, so that the next call opens a new one. A failed gRPC channel fails
     * calls for some time without connecting, although the coordinator may be reachable again.
     */
    synchronized void drop(ManagedChannel failed) {
      if (channel == failed && !closed) {
        channel = null;
        // Calls of other threads on this channel end at their deadlines.
        failed.shutdown();
      }
    }

    synchronized void close() {
      closed = true;
      if (channel != null) {
        channel.shutdownNow();
      }
    }
  }

  /** How long a request is retried if no coordinator replies. */
  enum Retry {
    /** All coordinators in turn, for the configured retry period. */
    FULL_PERIOD,
    /** Each coordinator once. */
    ONE_ROUND
  }

  /**
   * @param proofs interceptors that authenticate the calls; empty for none
   */
  public CoordinatorClient(
      CoordinatorClientConfig config,
      List<ClientInterceptor> proofs,
      DriverEnvironment environment) {
    this.config = config;
    this.environment = environment;
    config
        .quorum()
        .forEach(address -> peers.add(new Peer(address, proofs, environment.channels())));
  }

  boolean isConfigured() {
    return !peers.isEmpty();
  }

  RegisterApplicationReply registerApplication(RegisterApplicationRequest request, Retry retry)
      throws SluiceException {
    return ask("registerApplication", retry, stub -> stub.registerApplication(request));
  }

  ClientConfigurationReply clientConfiguration(ClientConfigurationRequest request)
      throws SluiceException {
    return ask("clientConfiguration", Retry.ONE_ROUND, stub -> stub.clientConfiguration(request));
  }

  RenewLeaseReply renewLease(RenewLeaseRequest request) throws SluiceException {
    return ask("renewLease", Retry.ONE_ROUND, stub -> stub.renewLease(request));
  }

  RegisterShuffleReply registerShuffle(RegisterShuffleRequest request, Retry retry)
      throws SluiceException {
    return ask("registerShuffle", retry, stub -> stub.registerShuffle(request));
  }

  /**
   * Unregisters the application at every coordinator, because each has its own leases. Best effort.
   *
   * @return number of coordinators that confirmed it
   */
  int unregisterApplication(UnregisterApplicationRequest request, long timeoutMs) {
    int confirmed = 0;
    long deadline = environment.nanoTime().getAsLong() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    for (Peer peer : peers) {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - environment.nanoTime().getAsLong());
      if (leftMs <= 0 || closed) {
        break;
      }
      try {
        UnregisterApplicationReply reply =
            stub(peer.channel(), Math.min(leftMs, config.callTimeoutMs()))
                .unregisterApplication(request);
        confirmed += StatusCode.of(reply.getStatus()) == StatusCode.OK ? 1 : 0;
      } catch (StatusRuntimeException e) {
        // The lease expires at this coordinator.
        LOG.debug(
            "application not unregistered at coordinator application={} coordinator={} reason={}",
            request.getApplication(),
            peer.address,
            e.getStatus());
      }
    }
    return confirmed;
  }

  private CoordinatorBlockingStub stub(ManagedChannel channel, long timeoutMs) {
    return CoordinatorGrpc.newBlockingStub(channel)
        .withDeadlineAfter(timeoutMs, TimeUnit.MILLISECONDS);
  }

  private <R> R ask(String what, Retry retry, Function<CoordinatorBlockingStub, R> call)
      throws SluiceException {
    long start = environment.nanoTime().getAsLong();
    int first = preferred;
    StringBuilder failures = new StringBuilder();
    SluiceException denied = null;
    while (true) {
      failures.setLength(0);
      for (int i = 0; i < peers.size(); i++) {
        int number = (first + i) % peers.size();
        Peer peer = peers.get(number);
        long leftMs = config.retryPeriodMs() - elapsedMs(start);
        if (closed || (leftMs <= 0 && i > 0)) {
          break;
        }
        ManagedChannel channel = peer.channel();
        try {
          R reply =
              call.apply(stub(channel, Math.max(1, Math.min(leftMs, config.callTimeoutMs()))));
          preferred = number;
          return reply;
        } catch (StatusRuntimeException e) {
          if (Thread.currentThread().isInterrupted()) {
            throw new SluiceException(
                StatusCode.NO_SERVERS,
                what + ": interrupted during a call to coordinator " + peer.address,
                e);
          }
          if (isDenied(e)) {
            denied =
                new SluiceException(
                    StatusCode.DENIED,
                    "coordinator " + peer.address + ": " + e.getStatus().getDescription(),
                    e);
            if (e.getCause() instanceof UnprovenPeerException) {
              continue;
            }
            throw denied;
          }
          peer.drop(channel);
          failures
              .append(failures.isEmpty() ? "" : ", ")
              .append(peer.address)
              .append(": ")
              .append(reason(e));
        }
      }
      if (denied != null) {
        throw denied;
      }
      boolean again =
          retry == Retry.FULL_PERIOD
              && !closed
              && elapsedMs(start) + PAUSE_BETWEEN_ROUNDS_MS < config.retryPeriodMs();
      if (!again || !pause()) {
        throw new SluiceException(
            StatusCode.NO_SERVERS,
            what
                + ": no coordinator replied within "
                + elapsedMs(start)
                + " ms ("
                + failures
                + ")");
      }
    }
  }

  /**
   * Whether a call was denied. All real coordinators deny it, so that only a false one is skipped.
   */
  private static boolean isDenied(StatusRuntimeException e) {
    return e.getStatus().getCode() == Code.PERMISSION_DENIED
        || e.getStatus().getCode() == Code.UNAUTHENTICATED;
  }

  private static String reason(StatusRuntimeException e) {
    Throwable cause = e.getCause();
    String code =
        e.getStatus().getCode() == Code.UNAVAILABLE
            ? "unreachable"
            : e.getStatus().getCode().toString();
    return cause == null || cause.getMessage() == null
        ? code
        : code + " (" + cause.getMessage() + ")";
  }

  private long elapsedMs(long startNanos) {
    return TimeUnit.NANOSECONDS.toMillis(environment.nanoTime().getAsLong() - startNanos);
  }

  private boolean pause() {
    try {
      environment.sleep().sleep(PAUSE_BETWEEN_ROUNDS_MS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Closes the channels. Idempotent. */
  @Override
  public void close() {
    closed = true;
    peers.forEach(Peer::close);
  }
}
