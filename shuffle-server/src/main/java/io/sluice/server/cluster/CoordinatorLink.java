package io.sluice.server.cluster;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.sluice.common.auth.Revocation;
import io.sluice.common.auth.Revocations;
import io.sluice.common.config.HostPort;
import io.sluice.common.net.CallFailure;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.HeartbeatReply;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.server.log.LeaseTable;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Heartbeats to one coordinator: one at a time, each an interval after the previous reply. Retries
 * are more frequent, so that a coordinator that starts later or recovers knows the server within
 * about a second.
 *
 * <p>Failures are counted; only changes are logged: the first reply, the first failure, and the
 * recovery. State belongs to the executor's thread, except volatile fields.
 */
final class CoordinatorLink {
  private static final Logger log = LoggerFactory.getLogger(CoordinatorLink.class);

  /** Delay after the first failure; doubles up to the interval. */
  private static final long FIRST_RETRY_MS = 500;

  /** Bounds of the interval that a coordinator may set. */
  private static final long MIN_INTERVAL_MS = 50;

  private static final long MAX_INTERVAL_MS = TimeUnit.MINUTES.toMillis(5);

  private enum State {
    NEW,
    ANSWERING,
    FAILING
  }

  private final HostPort coordinator;
  private final HeartbeatConfig config;
  private final HeartbeatSource source;
  private final LeaseTable leases;
  private final Revocations revocations;
  private final ScheduledExecutorService executor;
  private final Supplier<ManagedChannel> channels;
  private final AtomicLong failures = new AtomicLong();

  private ManagedChannel channel;
  private long intervalMs;
  private long retryMs = FIRST_RETRY_MS;

  /** Number of heartbeats sent, to ignore replies to earlier ones. */
  private long sent;

  private ScheduledFuture<?> next;
  private boolean registered;

  /** Of the coordinator's list that was received last; 0: none. */
  private long revocationsRevision;

  private volatile State state = State.NEW;
  private volatile boolean closed;

  CoordinatorLink(
      HostPort coordinator,
      HeartbeatConfig config,
      HeartbeatSource source,
      LeaseTable leases,
      Revocations revocations,
      ScheduledExecutorService executor,
      Supplier<ManagedChannel> channels) {
    this.coordinator = coordinator;
    this.config = config;
    this.source = source;
    this.leases = leases;
    this.revocations = revocations;
    this.executor = executor;
    this.channels = channels;
    this.intervalMs = config.intervalMs();
  }

  void start() {
    execute(
        () -> {
          channel = channels.get();
          send(config.timeoutMs(), () -> {});
        });
  }

  boolean answering() {
    return state == State.ANSWERING;
  }

  long failures() {
    return failures.get();
  }

  /** Sends a heartbeat at once, unless the last one was not answered. */
  void reportNow(long timeoutMs, Runnable done) {
    boolean accepted =
        execute(
            () -> {
              if (state == State.ANSWERING) {
                send(timeoutMs, done);
              } else {
                done.run();
              }
            });
    if (!accepted) {
      done.run();
    }
  }

  void close() {
    closed = true;
    execute(
        () -> {
          if (next != null) {
            next.cancel(false);
          }
          if (channel != null) {
            channel.shutdownNow();
          }
        });
  }

  private void send(long timeoutMs, Runnable done) {
    if (closed) {
      done.run();
      return;
    }
    long number = ++sent;
    HeartbeatRequest request =
        source.heartbeat().toBuilder().setRevocationsRevision(revocationsRevision).build();
    leases.setApplications(request.getApplicationsList());
    if (state != State.ANSWERING) {
      // Otherwise the channel may wait up to two minutes before it reconnects.
      channel.resetConnectBackoff();
    }
    CoordinatorGrpc.newStub(channel)
        .withWaitForReady()
        .withDeadlineAfter(timeoutMs, TimeUnit.MILLISECONDS)
        .heartbeat(
            request,
            new StreamObserver<>() {
              private HeartbeatReply reply;

              @Override
              public void onNext(HeartbeatReply value) {
                reply = value;
              }

              @Override
              public void onError(Throwable fault) {
                finish(
                    () -> {
                      failed(describe(fault));
                      if (Status.fromThrowable(fault).getCode() == Status.Code.DEADLINE_EXCEEDED) {
                        openAgain();
                      }
                    });
              }

              @Override
              public void onCompleted() {
                finish(() -> received(reply));
              }

              private void finish(Runnable outcome) {
                boolean accepted =
                    execute(
                        () -> {
                          outcome.run();
                          if (number == sent) {
                            scheduleNext();
                          }
                          done.run();
                        });
                if (!accepted) {
                  done.run();
                }
              }
            });
  }

  private void received(HeartbeatReply reply) {
    if (reply == null || reply.getStatus() != io.sluice.proto.Status.OK) {
      failed(
          reply == null
              ? "closed the call without a reply"
              : "refused the heartbeat with " + reply.getStatus() + ": " + reply.getMessage());
      return;
    }
    if (reply.getHeartbeatIntervalMs() > 0) {
      intervalMs =
          Math.max(MIN_INTERVAL_MS, Math.min(reply.getHeartbeatIntervalMs(), MAX_INTERVAL_MS));
    }
    retryMs = FIRST_RETRY_MS;
    if (!registered) {
      registered = true;
      log.info(
          "registered with coordinator coordinator={} intervalMs={} leaseMs={}",
          coordinator,
          intervalMs,
          reply.getLeaseMs());
    } else if (state == State.FAILING) {
      log.info("coordinator answers again coordinator={} intervalMs={}", coordinator, intervalMs);
    }
    state = State.ANSWERING;
    addRevocations(reply);
    source.onLeases(coordinator.toString(), reply.getLeasesList());
    source.onMovesApplied(reply.getAppliedMovesList());
    source.onAdoptions(reply.getAdoptionsList());
    for (LeaseTable.Expiry expiry :
        leases.answered(coordinator.toString(), reply.getLeaseMs(), reply.getLeasesList())) {
      source.deleteApplication(expiry.application(), expiry.reason());
    }
  }

  private void addRevocations(HeartbeatReply reply) {
    if (reply.getRevocationsRevision() == revocationsRevision) {
      return;
    }
    revocationsRevision = reply.getRevocationsRevision();
    List<Revocation> received =
        reply.getRevocationsList().stream()
            .limit(Revocations.MAX_OF_COORDINATOR)
            .map(Revocation::of)
            .flatMap(Optional::stream)
            .toList();
    revocations.add(received);
    log.info(
        "received revocations of tokens coordinator={} received={} inForce={}",
        coordinator,
        received.size(),
        revocations.size());
  }

  private void failed(String reason) {
    if (closed) {
      return;
    }
    leases.failed(coordinator.toString());
    source.onNoReply(coordinator.toString());
    if (state != State.FAILING) {
      log.warn(
          "coordinator does not answer, will retry coordinator={} reason={}", coordinator, reason);
      state = State.FAILING;
    }
    // Incremented last, so that a counted failure was already logged.
    failures.incrementAndGet();
  }

  /** After a partition, TCP may not send on the old connection for as long as it lasted. */
  private void openAgain() {
    if (!closed) {
      channel.shutdownNow();
      channel = channels.get();
    }
  }

  private void scheduleNext() {
    long delayMs = intervalMs;
    if (state == State.FAILING) {
      delayMs = Math.min(retryMs, intervalMs);
      retryMs = Math.min(2 * retryMs, intervalMs);
    }
    if (next != null) {
      next.cancel(false);
    }
    if (!closed) {
      try {
        next =
            executor.schedule(
                guarded(() -> send(config.timeoutMs(), () -> {})), delayMs, TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException e) {
        log.debug("heartbeats ended coordinator={}", coordinator);
      }
    }
  }

  private boolean execute(Runnable task) {
    try {
      executor.execute(guarded(task));
      return true;
    } catch (RejectedExecutionException e) {
      return false;
    }
  }

  /** Logs a bug in one heartbeat, so that later ones are still sent. */
  private Runnable guarded(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (RuntimeException e) {
        log.error("heartbeat failed coordinator={}", coordinator, e);
        scheduleNext();
      }
    };
  }

  private static String describe(Throwable fault) {
    if (fault instanceof StatusRuntimeException statused) {
      return CallFailure.describe(statused.getStatus());
    }
    return fault.toString();
  }
}
