package io.sluice.client.coordinator;

import io.grpc.ClientInterceptor;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.Status.Code;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.sluice.common.auth.UnprovenPeerException;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.net.CallFailure;
import io.sluice.proto.ClientConfigurationReply;
import io.sluice.proto.ClientConfigurationRequest;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.CoordinatorGrpc.CoordinatorBlockingStub;
import io.sluice.proto.CoordinatorGrpc.CoordinatorStub;
import io.sluice.proto.RegisterApplicationReply;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleReply;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.RenewLeaseReply;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.UnregisterApplicationReply;
import io.sluice.proto.UnregisterApplicationRequest;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
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

  /** Maximum time for which the next coordinator is not called while one does not reply. */
  private static final long MAX_SHARE_MS = 1_000;

  /** Interval at which connections are checked after the time to connect. */
  private static final long POLL_MS = 50;

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
    /** All coordinators in turn, for a short time: an application starts. */
    AT_START,
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
    return ask(
        "registerApplication", retry, (stub, reply) -> stub.registerApplication(request, reply));
  }

  ClientConfigurationReply clientConfiguration(ClientConfigurationRequest request)
      throws SluiceException {
    return ask(
        "clientConfiguration",
        Retry.AT_START,
        (stub, reply) -> stub.clientConfiguration(request, reply));
  }

  RenewLeaseReply renewLease(RenewLeaseRequest request) throws SluiceException {
    return ask("renewLease", Retry.ONE_ROUND, (stub, reply) -> stub.renewLease(request, reply));
  }

  RegisterShuffleReply registerShuffle(RegisterShuffleRequest request, Retry retry)
      throws SluiceException {
    return ask("registerShuffle", retry, (stub, reply) -> stub.registerShuffle(request, reply));
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

  /** A call of one coordinator. */
  private static final class Attempt<R> implements StreamObserver<R> {
    private final Peer peer;
    private final int number;
    private final ManagedChannel channel;
    private final Queue<Attempt<R>> ended;
    private volatile R reply;
    private volatile StatusRuntimeException failure;

    Attempt(Peer peer, int number, Queue<Attempt<R>> ended) {
      this.peer = peer;
      this.number = number;
      this.channel = peer.channel();
      this.ended = ended;
    }

    boolean isConnected() {
      return channel.getState(false) == ConnectivityState.READY;
    }

    @Override
    public void onNext(R value) {
      reply = value;
    }

    @Override
    public void onError(Throwable fault) {
      failure = Status.fromThrowable(fault).asRuntimeException();
      if (fault instanceof StatusRuntimeException statused) {
        failure = statused;
      }
      ended.add(this);
    }

    @Override
    public void onCompleted() {
      if (reply == null) {
        failure = Status.INTERNAL.withDescription("no reply").asRuntimeException();
      }
      ended.add(this);
    }
  }

  /** The calls of one request, which may wait while others are repeated. Used by one thread. */
  private static final class Calls<R> {
    private final BlockingQueue<Attempt<R>> ended = new LinkedBlockingQueue<>();
    private final Set<Attempt<R>> open = new LinkedHashSet<>();

    /** Whether a connected coordinator refused a call, as during an election. */
    private boolean refused;

    boolean isConnected() {
      return refused || open.stream().anyMatch(Attempt::isConnected);
    }

    boolean waitsFor(int number) {
      return open.stream().anyMatch(attempt -> attempt.number == number);
    }
  }

  private <R> R ask(String what, Retry retry, BiConsumer<CoordinatorStub, StreamObserver<R>> call)
      throws SluiceException {
    if (retry == Retry.AT_START) {
      // In a new process, loading the classes of gRPC and TLS takes longer than a coordinator's
      // reply.
      peers.get(preferred).channel().getState(true);
    }
    long start = environment.nanoTime().getAsLong();
    Calls<R> calls = new Calls<>();
    StringBuilder failures = new StringBuilder();
    while (true) {
      failures.setLength(0);
      Attempt<R> answered = round(what, retry, call, calls, start, failures);
      if (answered != null) {
        preferred = answered.number;
        return answered.reply;
      }
      boolean again =
          retry != Retry.ONE_ROUND
              && !closed
              && PAUSE_BETWEEN_ROUNDS_MS < leftMs(retry, calls, start);
      // A round that leaves open calls has waited for their replies.
      if (!again || (calls.open.isEmpty() && !pause())) {
        throw new SluiceException(
            StatusCode.NO_SERVERS,
            String.format(
                "%s: no coordinator replied %s (%s)",
                what,
                retry == Retry.AT_START
                    ? "in the time that rss.access.timeout.ms gives the start of an application"
                    : "within " + elapsedMs(start) + " ms",
                failures));
      }
    }
  }

  private long leftMs(Retry retry, Calls<?> calls, long start) {
    long periodMs =
        retry == Retry.AT_START
            ? config.startPeriodMs(calls.isConnected())
            : config.retryPeriodMs();
    return periodMs - elapsedMs(start);
  }

  /**
   * Calls one coordinator after the other, except those that have not replied to an earlier call.
   * The next one is called when a call fails, or does not end within its share of the remaining
   * time; the first reply counts. So a coordinator that drops packets does not use the time of the
   * others, and a slow one still can reply.
   *
   * @return null if none replied
   */
  private <R> Attempt<R> round(
      String what,
      Retry retry,
      BiConsumer<CoordinatorStub, StreamObserver<R>> call,
      Calls<R> calls,
      long start,
      StringBuilder failures)
      throws SluiceException {
    int first = preferred;
    int called = 0;
    boolean repeats = false;
    SluiceException denied = null;
    while (true) {
      long leftMs = leftMs(retry, calls, start);
      if (called < peers.size() && !closed && (leftMs > 0 || called == 0)) {
        int number = (first + called) % peers.size();
        called++;
        if (calls.waitsFor(number)) {
          continue;
        }
        // At the start, less time is left until a coordinator is connected.
        long limitMs = retry == Retry.AT_START ? config.startPeriodMs(true) : leftMs;
        begin(number, limitMs, call, calls);
      } else if (calls.open.isEmpty()) {
        break;
      } else if (leftMs <= 0) {
        giveUp(calls, failures);
        break;
      }
      int others = peers.size() - called;
      long waitMs = others > 0 ? Math.min(MAX_SHARE_MS, leftMs / (1 + others)) : leftMs;
      boolean ends = others == 0 && repeats;
      Attempt<R> next =
          next(what, calls.ended, ends ? PAUSE_BETWEEN_ROUNDS_MS : Math.max(POLL_MS, waitMs));
      if (next == null) {
        if (ends) {
          break;
        }
        continue;
      }
      calls.open.remove(next);
      StatusRuntimeException e = next.failure;
      if (e == null) {
        return next;
      }
      if (isDenied(e)) {
        denied = denied(next.peer, e);
        if (!(e.getCause() instanceof UnprovenPeerException)) {
          throw denied;
        }
        continue;
      }
      calls.refused |= next.isConnected();
      repeats = retry != Retry.ONE_ROUND;
      failed(next, reason(e), failures);
    }
    if (denied != null) {
      throw denied;
    }
    return null;
  }

  private <R> void begin(
      int number,
      long limitMs,
      BiConsumer<CoordinatorStub, StreamObserver<R>> call,
      Calls<R> calls) {
    Attempt<R> attempt = new Attempt<>(peers.get(number), number, calls.ended);
    long timeoutMs = Math.max(1, Math.min(limitMs, config.callTimeoutMs()));
    calls.open.add(attempt);
    call.accept(
        CoordinatorGrpc.newStub(attempt.channel)
            .withDeadlineAfter(timeoutMs, TimeUnit.MILLISECONDS),
        attempt);
  }

  private static void giveUp(Calls<?> calls, StringBuilder failures) {
    for (Attempt<?> attempt : calls.open) {
      failed(attempt, attempt.isConnected() ? "no reply" : "not connected", failures);
    }
    calls.open.clear();
  }

  private static SluiceException denied(Peer peer, StatusRuntimeException e) {
    return new SluiceException(
        StatusCode.DENIED,
        "coordinator " + peer.address + ": " + e.getStatus().getDescription(),
        e);
  }

  private static void failed(Attempt<?> attempt, String reason, StringBuilder failures) {
    attempt.peer.drop(attempt.channel);
    failures
        .append(failures.isEmpty() ? "" : ", ")
        .append(attempt.peer.address)
        .append(": ")
        .append(reason);
  }

  /** Waits for the end of a call; null: none has ended. */
  private static <R> Attempt<R> next(String what, BlockingQueue<Attempt<R>> ended, long waitMs)
      throws SluiceException {
    try {
      return ended.poll(waitMs, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SluiceException(
          StatusCode.NO_SERVERS, what + ": interrupted during a call to coordinators", e);
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
    if (CallFailure.isTls(e.getStatus())) {
      return code + " (" + CallFailure.describe(e.getStatus()) + ")";
    }
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
