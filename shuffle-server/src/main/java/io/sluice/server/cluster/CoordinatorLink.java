package io.sluice.server.cluster;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import io.sluice.common.config.HostPort;
import io.sluice.common.net.CallFailure;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.HeartbeatReply;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.server.log.LeaseTable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Heartbeats to one coordinator: one at a time, the next one an interval after the answer, or
 * sooner while the coordinator fails, so that a server that started first, or a coordinator that
 * comes back, is known within a second or so.
 *
 * <p>Failures are counted; only changes are logged: the first answer, the first failure after one,
 * the recovery. State belongs to the executor's thread, except where volatile.
 */
final class CoordinatorLink {
  private static final Logger log = LoggerFactory.getLogger(CoordinatorLink.class);

  /** Wait after the first failure; doubles up to the interval. */
  private static final long FIRST_RETRY_MS = 500;

  /** Bounds for the interval that a coordinator may ask for. */
  private static final long LEAST_INTERVAL_MS = 50;

  private static final long MOST_INTERVAL_MS = TimeUnit.MINUTES.toMillis(5);

  private enum State {
    NEW,
    ANSWERING,
    FAILING
  }

  private final HostPort coordinator;
  private final HeartbeatConfig config;
  private final HeartbeatSource self;
  private final LeaseTable leases;
  private final ScheduledExecutorService executor;
  private final Supplier<ManagedChannel> channels;
  private final AtomicLong failures = new AtomicLong();

  private ManagedChannel channel;
  private long intervalMs;
  private long retryMs = FIRST_RETRY_MS;

  /** Counts heartbeats sent, so that an answer can tell whether a later one overtook it. */
  private long sent;

  private ScheduledFuture<?> next;
  private boolean registered;

  private volatile State state = State.NEW;
  private volatile boolean closed;

  CoordinatorLink(
      HostPort coordinator,
      HeartbeatConfig config,
      HeartbeatSource self,
      LeaseTable leases,
      ScheduledExecutorService executor,
      Supplier<ManagedChannel> channels) {
    this.coordinator = coordinator;
    this.config = config;
    this.self = self;
    this.leases = leases;
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

  /** Sends a heartbeat ahead of schedule, unless the coordinator does not answer anyway. */
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
    HeartbeatRequest request = self.heartbeat();
    leases.setApplications(request.getApplicationsList());
    if (state != State.ANSWERING) {
      // Otherwise the channel would wait up to two minutes before it connects again.
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
                finish(() -> failed(describe(fault)));
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
              ? "answered without a reply"
              : "refused with " + reply.getStatus() + ": " + reply.getMessage());
      return;
    }
    if (reply.getHeartbeatIntervalMs() > 0) {
      intervalMs =
          Math.max(LEAST_INTERVAL_MS, Math.min(reply.getHeartbeatIntervalMs(), MOST_INTERVAL_MS));
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
    self.told(coordinator.toString(), reply.getLeasesList());
    self.applied(reply.getAppliedMovesList());
    for (LeaseTable.Expiry expiry :
        leases.answered(coordinator.toString(), reply.getLeaseMs(), reply.getLeasesList())) {
      self.forget(expiry.application(), expiry.reason());
    }
  }

  private void failed(String reason) {
    if (closed) {
      return;
    }
    leases.failed(coordinator.toString());
    self.notTold(coordinator.toString());
    if (state != State.FAILING) {
      log.warn(
          "coordinator does not answer, trying on coordinator={} reason={}", coordinator, reason);
      state = State.FAILING;
    }
    // Last: a counted failure has been logged.
    failures.incrementAndGet();
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

  /** A bug in one heartbeat is logged and does not end the next ones. */
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
