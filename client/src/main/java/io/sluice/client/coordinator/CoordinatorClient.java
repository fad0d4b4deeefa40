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
 * Asks whichever coordinator answers, and stays with it while it does. Thread-safe: calls block the
 * caller, for a bounded time. A refusal is an answer; only silence is a failure.
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
     * Begins anew next time: a channel that has failed refuses calls for a while without asking,
     * although the coordinator may have come back.
     */
    synchronized void drop(ManagedChannel failed) {
      if (channel == failed && !closed) {
        channel = null;
        // Calls of other threads on it end by their deadlines.
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

  /** How long to look for a coordinator that answers. */
  enum Patience {
    /** Again and again, up to the configured patience. */
    FULL,
    /** Each coordinator once. */
    ONE_ROUND
  }

  /**
   * @param proofs of who calls, where coordinators ask for them
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

  RegisterApplicationReply registerApplication(
      RegisterApplicationRequest request, Patience patience) throws SluiceException {
    return ask("registerApplication", patience, stub -> stub.registerApplication(request));
  }

  ClientConfigurationReply clientConfiguration(ClientConfigurationRequest request)
      throws SluiceException {
    return ask(
        "clientConfiguration", Patience.ONE_ROUND, stub -> stub.clientConfiguration(request));
  }

  RenewLeaseReply renewLease(RenewLeaseRequest request) throws SluiceException {
    return ask("renewLease", Patience.ONE_ROUND, stub -> stub.renewLease(request));
  }

  RegisterShuffleReply registerShuffle(RegisterShuffleRequest request, Patience patience)
      throws SluiceException {
    return ask("registerShuffle", patience, stub -> stub.registerShuffle(request));
  }

  /**
   * Tells every coordinator, because each keeps leases of its own. Best effort.
   *
   * @return how many have heard it
   */
  int unregisterApplication(UnregisterApplicationRequest request, long timeoutMs) {
    int heard = 0;
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
        heard += StatusCode.of(reply.getStatus()) == StatusCode.OK ? 1 : 0;
      } catch (StatusRuntimeException silence) {
        // Its lease will run out there.
        LOG.debug(
            "coordinator not told of the end app={} coordinator={} reason={}",
            request.getApplication(),
            peer.address,
            silence.getStatus());
      }
    }
    return heard;
  }

  private CoordinatorBlockingStub stub(ManagedChannel channel, long timeoutMs) {
    return CoordinatorGrpc.newBlockingStub(channel)
        .withDeadlineAfter(timeoutMs, TimeUnit.MILLISECONDS);
  }

  private <R> R ask(String what, Patience patience, Function<CoordinatorBlockingStub, R> call)
      throws SluiceException {
    long start = environment.nanoTime().getAsLong();
    int first = preferred;
    StringBuilder silent = new StringBuilder();
    SluiceException denied = null;
    while (true) {
      silent.setLength(0);
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
                StatusCode.NO_SERVERS, what + ": interrupted while asking " + peer.address, e);
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
          silent
              .append(silent.isEmpty() ? "" : ", ")
              .append(peer.address)
              .append(": ")
              .append(reason(e));
        }
      }
      if (denied != null) {
        throw denied;
      }
      boolean again =
          patience == Patience.FULL
              && !closed
              && elapsedMs(start) + PAUSE_BETWEEN_ROUNDS_MS < config.retryPeriodMs();
      if (!again || !pause()) {
        throw new SluiceException(
            StatusCode.NO_SERVERS,
            what + ": no coordinator answered within " + elapsedMs(start) + " ms (" + silent + ")");
      }
    }
  }

  /** An answer, too: another coordinator would give the same, but for one that is a false one. */
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

  /** Ends the channels. Idempotent. */
  @Override
  public void close() {
    closed = true;
    peers.forEach(Peer::close);
  }
}
