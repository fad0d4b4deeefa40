package io.sluice.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.auth.Revocation;
import io.sluice.common.auth.Revocations;
import io.sluice.common.config.HostPort;
import io.sluice.proto.ApplicationLease.State;
import io.sluice.proto.HeartbeatRequest;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerState;
import io.sluice.proto.Status;
import io.sluice.server.log.LeaseTable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class HeartbeatsTest {
  private static final long INTERVAL_MS = 20;

  private final FakeHeartbeatSource source = new FakeHeartbeatSource();
  private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1);
  private final Revocations revocations = new Revocations(Clock.systemUTC());
  private final Socket reserved = new Socket();
  private Heartbeats heartbeats;

  private void start(long leaseMs, HostPort... coordinators) {
    start(
        leaseMs,
        coordinator -> ClusterChannels.toCoordinator(coordinator, ClusterSecurity.OFF),
        coordinators);
  }

  private void start(
      long leaseMs, Function<HostPort, ManagedChannel> channels, HostPort... coordinators) {
    executor.setRemoveOnCancelPolicy(true);
    LeaseTable leases = new LeaseTable(() -> System.nanoTime() / 1_000_000, leaseMs);
    heartbeats =
        new Heartbeats(
            new HeartbeatConfig(List.of(coordinators), INTERVAL_MS, 1_000),
            source,
            leases,
            revocations,
            executor,
            channels);
    heartbeats.start();
  }

  @AfterEach
  void stop() throws Exception {
    reserved.close();
    heartbeats.close();
    executor.shutdown();
    assertThat(executor.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void sendsHeartbeatsToEveryCoordinator() throws Exception {
    try (FakeCoordinator a = new FakeCoordinator(0);
        FakeCoordinator b = new FakeCoordinator(0)) {
      source.applications.add("app");
      a.setState("app", State.LIVE);
      start(60_000, a.address(), b.address());
      for (int i = 0; i < 3; i++) {
        for (FakeCoordinator coordinator : List.of(a, b)) {
          HeartbeatRequest request = coordinator.next();
          assertThat(request.getServer().getName()).isEqualTo("s:1");
          assertThat(request.getState()).isEqualTo(ServerState.ACTIVE);
          assertThat(request.getApplicationsList()).containsExactly("app");
        }
      }
      assertThat(heartbeats.coordinators()).isEqualTo(2);
      await(() -> heartbeats.answering() == 2);
    }
  }

  @Test
  void anUnavailableCoordinatorDoesNotDelayTheOthers() throws Exception {
    try (FakeCoordinator up = new FakeCoordinator(0)) {
      start(60_000, new HostPort("127.0.0.1", unusedPort()), up.address());
      for (int i = 0; i < 5; i++) {
        up.next();
      }
      await(() -> heartbeats.answering() == 1 && heartbeats.failures() > 0);
    }
  }

  @Test
  void findsALateOrRestartedCoordinatorAndLogsOnlyChanges() throws Exception {
    int port = unusedPort();
    try (LogLines log = new LogLines(CoordinatorLink.class)) {
      start(60_000, new HostPort("127.0.0.1", port));
      await(() -> heartbeats.failures() >= 2);
      try (FakeCoordinator first = new FakeCoordinator(port)) {
        first.next();
        await(() -> heartbeats.answering() == 1);
      }
      long failures = heartbeats.failures();
      await(() -> heartbeats.failures() >= failures + 2);
      try (FakeCoordinator second = new FakeCoordinator(port)) {
        second.next();
        await(() -> heartbeats.answering() == 1);
        assertThat(log.lines())
            .satisfiesExactly(
                line -> assertThat(line).startsWith("WARN coordinator does not answer"),
                line -> assertThat(line).startsWith("INFO registered with coordinator"),
                line -> assertThat(line).startsWith("WARN coordinator does not answer"),
                line -> assertThat(line).startsWith("INFO coordinator answers again"));
      }
    }
  }

  @Test
  void opensAnotherConnectionAfterATimeout() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        FakeCoordinator coordinator = new FakeCoordinator(0)) {
      HostPort first = new HostPort("127.0.0.1", silent.getLocalPort());
      AtomicInteger opened = new AtomicInteger();
      start(
          60_000,
          address ->
              ClusterChannels.toCoordinator(
                  opened.getAndIncrement() == 0 ? first : address, ClusterSecurity.OFF),
          coordinator.address());

      coordinator.next();
      await(() -> heartbeats.answering() == 1);
      assertThat(opened).hasValue(2);
    }
  }

  @Test
  void aRefusalCountsAsAFailureAndIsNamed() throws Exception {
    try (LogLines log = new LogLines(CoordinatorLink.class);
        FakeCoordinator coordinator = new FakeCoordinator(0)) {
      coordinator.refuse(Status.DENIED);
      start(60_000, coordinator.address());
      await(() -> heartbeats.failures() > 0);
      assertThat(heartbeats.answering()).isZero();
      assertThat(log.lines().get(0))
          .contains("refused the heartbeat with DENIED: injected refusal");
    }
  }

  @Test
  void deletesAnEndedApplication() throws Exception {
    try (FakeCoordinator coordinator = new FakeCoordinator(0)) {
      source.applications.add("app");
      source.applications.add("other");
      coordinator.setState("app", State.LIVE);
      coordinator.setState("other", State.LIVE);
      start(60_000, coordinator.address());
      coordinator.next();
      coordinator.next();
      assertThat(source.deleted).isEmpty();
      coordinator.setState("app", State.ENDED);
      assertThat(source.deleted.poll(60, TimeUnit.SECONDS)).isEqualTo("app ENDED");
      assertThat(source.applications).containsExactly("other");
    }
  }

  @Test
  void collectsTheRevocationsOfAllCoordinatorsAndNamesTheReceivedRevision() throws Exception {
    long expiryMs = System.currentTimeMillis() + TimeUnit.DAYS.toMillis(1);
    try (FakeCoordinator a = new FakeCoordinator(0);
        FakeCoordinator b = new FakeCoordinator(0)) {
      a.setRevocations(17, Revocation.ofUser("eve", 17, expiryMs).toMessage());
      b.setRevocations(5, Revocation.ofApplication("ann.app", 5, expiryMs).toMessage());
      start(60_000, a.address(), b.address());

      assertThat(a.next().getRevocationsRevision()).isZero();
      assertThat(a.next().getRevocationsRevision()).isEqualTo(17);
      b.next();
      assertThat(b.next().getRevocationsRevision()).isEqualTo(5);
      assertThat(revocations.size()).isEqualTo(2);

      // A coordinator without its list: the server keeps what it has.
      a.setRevocations(0);
      while (a.next().getRevocationsRevision() != 0) {
        // An earlier heartbeat.
      }
      assertThat(revocations.size()).isEqualTo(2);
    }
  }

  @Test
  void deletesAnApplicationWithAnExpiredLease() throws Exception {
    try (FakeCoordinator coordinator = new FakeCoordinator(0)) {
      coordinator.grant(0, 0);
      source.applications.add("app");
      start(200, coordinator.address());
      assertThat(source.deleted.poll(60, TimeUnit.SECONDS)).isEqualTo("app LEASE_OUT");
    }
  }

  @Test
  void usesTheIntervalOfTheCoordinator() throws Exception {
    try (FakeCoordinator coordinator = new FakeCoordinator(0)) {
      coordinator.grant(60_000, TimeUnit.MINUTES.toMillis(5));
      start(60_000, coordinator.address());
      coordinator.next();
      await(() -> heartbeats.answering() == 1);
      assertThat(coordinator.nextWithin(20 * INTERVAL_MS))
          .as("a second heartbeat after the server's own interval")
          .isEmpty();
    }
  }

  @Test
  void aFinalReportIsSentAtOnceAndAwaited() throws Exception {
    try (FakeCoordinator coordinator = new FakeCoordinator(0)) {
      coordinator.grant(60_000, 60_000);
      start(60_000, coordinator.address());
      coordinator.next();
      await(() -> heartbeats.answering() == 1);
      source.state = ServerState.SERVER_DRAINING;
      heartbeats.report(20_000);
      assertThat(coordinator.next().getState()).isEqualTo(ServerState.SERVER_DRAINING);
    }
  }

  @Test
  void aFinalReportDoesNotWaitForAnUnavailableCoordinator() throws Exception {
    start(60_000, new HostPort("127.0.0.1", unusedPort()));
    await(() -> heartbeats.failures() > 0);
    heartbeats.report(TimeUnit.MINUTES.toMillis(10));
    assertThat(heartbeats.answering()).isZero();
  }

  @Test
  void anInternalErrorDoesNotStopHeartbeats() throws Exception {
    try (FakeCoordinator coordinator = new FakeCoordinator(0)) {
      source.faults.set(3);
      start(60_000, coordinator.address());
      coordinator.next();
      assertThat(source.faults).hasValue(0);
    }
  }

  /**
   * A port that refuses connections until a test listens on it. A socket that is bound, but does
   * not listen, keeps other processes from it.
   */
  private int unusedPort() throws IOException {
    // Lets a listener bind the same port.
    reserved.setReuseAddress(true);
    reserved.bind(new InetSocketAddress("127.0.0.1", 0));
    return reserved.getLocalPort();
  }

  /** Waits until the condition is true, at most until the timeout of the class. */
  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      Thread.onSpinWait();
    }
  }

  private static final class FakeHeartbeatSource implements HeartbeatSource {
    private final Set<String> applications = ConcurrentHashMap.newKeySet();
    private final BlockingQueue<String> deleted = new LinkedBlockingQueue<>();
    private volatile ServerState state = ServerState.ACTIVE;
    private final AtomicInteger faults = new AtomicInteger();

    @Override
    public HeartbeatRequest heartbeat() {
      if (faults.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new IllegalStateException("injected failure");
      }
      return HeartbeatRequest.newBuilder()
          .setServer(ServerId.newBuilder().setName("s:1").setEpoch(7))
          .setState(state)
          .addAllApplications(applications)
          .build();
    }

    @Override
    public void deleteApplication(String application, LeaseTable.Reason reason) {
      applications.remove(application);
      deleted.add(application + " " + reason);
    }
  }
}
