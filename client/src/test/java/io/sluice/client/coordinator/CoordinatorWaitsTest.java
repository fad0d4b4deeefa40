package io.sluice.client.coordinator;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.sluice.client.ClientConfig;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.client.coordinator.ShuffleRegistration.Reason;
import io.sluice.client.coordinator.ShuffleRegistration.Refused;
import io.sluice.client.security.ClientIdentity;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.HostPort;
import io.sluice.common.tls.ClientTls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * How long a driver waits for coordinators that do not reply: suspended ones, those that drop
 * packets, and those without a leader. Retry periods are far longer than the timeout of a test.
 */
@Timeout(60)
class CoordinatorWaitsTest {
  private static final long CALL_TIMEOUT_MS = 300_000;
  private static final long RETRY_PERIOD_MS = 600_000;

  /** For tests that must not depend on the time of calls. */
  private static final long LONG_MS = 50_000;

  private final List<AutoCloseable> toClose = new ArrayList<>();
  private final Queue<Long> timeouts = new LinkedBlockingQueue<>();
  private long connectMs = CoordinatorClientConfig.START_CONNECT_MS;
  private long startMs = CoordinatorClientConfig.START_MS;

  @AfterEach
  void closeAll() throws Exception {
    for (int i = toClose.size() - 1; i >= 0; i--) {
      toClose.get(i).close();
    }
  }

  private int serve(FakeCoordinator coordinator) throws IOException {
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(coordinator)
            .build()
            .start();
    toClose.add(
        () -> {
          server.shutdownNow();
          server.awaitTermination(60, TimeUnit.SECONDS);
        });
    return server.getPort();
  }

  /** Linux drops connection attempts to a listener whose backlog is full. */
  private int dropping() throws IOException {
    ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    toClose.add(full);
    for (int i = 0; i < 3; i++) {
      Socket waiting = new Socket();
      toClose.add(waiting);
      try {
        waiting.connect(full.getLocalSocketAddress(), 100);
      } catch (SocketTimeoutException e) {
        break;
      }
    }
    return full.getLocalPort();
  }

  private LeasedApplicationSession session(int... ports) {
    return session(DriverEnvironment.of(ClientTls.OFF, System::nanoTime), ports);
  }

  private LeasedApplicationSession session(DriverEnvironment environment, int... ports) {
    List<HostPort> quorum = new ArrayList<>();
    for (int port : ports) {
      quorum.add(new HostPort("127.0.0.1", port));
    }
    CoordinatorClientConfig config =
        new CoordinatorClientConfig(
            quorum,
            CALL_TIMEOUT_MS,
            RETRY_PERIOD_MS,
            connectMs,
            startMs,
            1,
            0,
            List.of(),
            "",
            true);
    ClientIdentity identity = ClientIdentity.ofTask(new ApplicationCredentials());
    LeasedApplicationSession session =
        new LeasedApplicationSession(
            "app",
            "me",
            "test",
            config,
            new CoordinatorClient(config, identity.userProofs(), environment),
            identity,
            environment);
    toClose.add(session);
    return session;
  }

  /** Without the thread that registers later, and with a record of the timeout of each call. */
  private DriverEnvironment recorded() {
    DriverEnvironment real = DriverEnvironment.of(ClientTls.OFF, System::nanoTime);
    ScheduledExecutorService ended = Executors.newSingleThreadScheduledExecutor();
    ended.shutdown();
    ClientInterceptor recorder =
        new ClientInterceptor() {
          @Override
          public <Q, R> ClientCall<Q, R> interceptCall(
              MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
            timeouts.add(options.getDeadline().timeRemaining(TimeUnit.MILLISECONDS));
            return next.newCall(method, options);
          }
        };
    return new DriverEnvironment(
        real.nanoTime(),
        real.sleep(),
        () -> ended,
        (host, port, proofs) -> real.channels().open(host, port, List.of(recorder)));
  }

  private static void assertNoCoordinator(ShuffleRegistration registration) {
    assertThat(registration)
        .isInstanceOfSatisfying(
            Refused.class,
            refused -> assertThat(refused.reason()).isEqualTo(Reason.NO_COORDINATOR));
  }

  @Test
  void anApplicationStartsIfOneCoordinatorDropsPackets() throws Exception {
    FakeCoordinator reachable = new FakeCoordinator();
    connectMs = LONG_MS;
    startMs = LONG_MS;

    LeasedApplicationSession session = session(dropping(), serve(reachable));

    assertThat(session.registerShuffle(0, 1)).isInstanceOf(Assigned.class);
  }

  @Test
  void anApplicationWaitsOnceIfAllCoordinatorsDropPackets() throws Exception {
    LeasedApplicationSession session = session(recorded(), dropping(), dropping(), dropping());

    assertNoCoordinator(session.registerShuffle(0, 1));

    // One call of each, in the time to connect, and none for the next shuffles.
    assertThat(timeouts).hasSize(3).allMatch(timeout -> timeout <= startMs);
    for (int shuffle = 1; shuffle < 10; shuffle++) {
      assertNoCoordinator(session.registerShuffle(shuffle, 1));
    }
    assertThat(timeouts).hasSize(3);
  }

  @Test
  void anApplicationWaitsOnceIfAllCoordinatorsAreSuspended() throws Exception {
    FakeCoordinator suspended = new FakeCoordinator();
    suspended.silent.set(Integer.MAX_VALUE);
    LeasedApplicationSession session = session(recorded(), serve(suspended));

    assertNoCoordinator(session.registerShuffle(0, 1));

    int calls = timeouts.size();
    assertThat(timeouts).allMatch(timeout -> timeout <= startMs);
    assertNoCoordinator(session.registerShuffle(1, 1));
    assertThat(timeouts).hasSize(calls);
  }

  @Test
  void theWaitForSettingsIsPartOfTheWaitAtTheStart() throws Exception {
    int silent = dropping();
    AtomicLong nanos = new AtomicLong();
    ClientConfig client =
        ClientConfig.from(
            ConfigSet.of(
                ClientConfig.SCHEMA, Map.of("rss.coordinator.quorum", "127.0.0.1:" + silent)));

    // Each reading of the clock takes 100 ms.
    ServedSettings served =
        ServedSettings.fetch(
            client, "me", Map.of(), () -> nanos.getAndAdd(TimeUnit.MILLISECONDS.toNanos(100)));

    assertThat(served.waitedMs())
        .isBetween(
            CoordinatorClientConfig.START_CONNECT_MS, CoordinatorClientConfig.START_MS - 100);
    CoordinatorClientConfig left = client.coordinator().afterWaiting(served.waitedMs());
    assertThat(served.waitedMs() + left.startMs()).isEqualTo(CoordinatorClientConfig.START_MS);
    assertThat(left.startConnectMs())
        .isEqualTo(Math.min(left.startMs(), CoordinatorClientConfig.START_CONNECT_MS));
    assertThat(client.coordinator().afterWaiting(5_000).startMs()).isZero();
  }

  @Test
  void theWaitAtTheStartGrowsWithTheTimeoutOfCoordinators() {
    assertThat(startAndConnectMs("1s")).containsExactly(2_000L, 1_000L);
    assertThat(startAndConnectMs("10s")).containsExactly(2_000L, 1_000L);
    assertThat(startAndConnectMs("60s")).containsExactly(12_000L, 6_000L);
  }

  private static List<Long> startAndConnectMs(String timeout) {
    CoordinatorClientConfig config =
        ClientConfig.from(
                ConfigSet.of(
                    ClientConfig.SCHEMA,
                    Map.of(
                        "rss.coordinator.quorum",
                        "127.0.0.1:19999",
                        "rss.access.timeout.ms",
                        timeout)))
            .coordinator();
    return List.of(config.startMs(), config.startConnectMs());
  }

  @Test
  void anApplicationStartsAfterAnElection() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    // With pauses of 200 ms, longer than the time to connect.
    coordinator.withoutLeader.set(6);
    connectMs = LONG_MS;
    startMs = LONG_MS;

    assertThat(session(serve(coordinator)).registerShuffle(0, 1)).isInstanceOf(Assigned.class);
  }

  @Test
  void anApplicationStartsAfterAnElectionBesideASuspendedCoordinator() throws Exception {
    FakeCoordinator suspended = new FakeCoordinator();
    FakeCoordinator next = new FakeCoordinator();
    suspended.silent.set(Integer.MAX_VALUE);
    next.withoutLeader.set(3);
    connectMs = LONG_MS;
    startMs = LONG_MS;
    LeasedApplicationSession session = session(serve(suspended), serve(next));

    assertThat(session.registerShuffle(0, 1)).isInstanceOf(Assigned.class);

    assertThat(suspended.asked).containsExactly("register app of me");
    assertThat(next.asked.stream().filter(line -> line.startsWith("register"))).hasSize(4);
  }

  @Test
  void aRunningApplicationCallsTheNextCoordinatorBesideASuspendedOne() throws Exception {
    FakeCoordinator suspended = new FakeCoordinator();
    FakeCoordinator next = new FakeCoordinator();
    LeasedApplicationSession session = session(serve(suspended), serve(next));
    assertThat(session.registerShuffle(0, 1)).isInstanceOf(Assigned.class);
    // The first one replies that it does not know the application, but not to its registration.
    suspended.known.clear();
    suspended.silent.set(Integer.MAX_VALUE);

    assertThat(session.registerShuffle(1, 1)).isInstanceOf(Assigned.class);

    assertThat(next.asked).contains("register app of me", "shuffle 1");
  }
}
