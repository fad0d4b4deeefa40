package io.sluice.client.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.client.coordinator.ShuffleRegistration.Assigned;
import io.sluice.client.coordinator.ShuffleRegistration.Reason;
import io.sluice.client.coordinator.ShuffleRegistration.Refused;
import io.sluice.client.security.ClientIdentity;
import io.sluice.client.security.ClientSecurityConfig;
import io.sluice.client.security.TestGuard;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.auth.TestUsers;
import io.sluice.common.config.HostPort;
import io.sluice.common.error.SluiceException;
import io.sluice.common.tls.ClientTls;
import io.sluice.common.tls.TlsConfig;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.ShuffleMove;
import io.sluice.proto.ShuffleReceipts;
import io.sluice.proto.ShuffleServerControlGrpc.ShuffleServerControlImplBase;
import io.sluice.proto.Status;
import io.sluice.proto.TaskReport;
import io.sluice.proto.UnregisterShuffleApplicationRequest;
import io.sluice.proto.UnregisterShufflesReply;
import io.sluice.proto.UnregisterShufflesRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ApplicationSessionTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";

  /** Timeout of a call, and of an event that a test awaits. */
  private static final int TIMEOUT_MS = 60_000;

  @TempDir private Path directory;

  /** Time of the sessions: it passes only while they pause between two rounds of calls. */
  private final AtomicLong nanos = new AtomicLong();

  private final List<AutoCloseable> toClose = new ArrayList<>();

  private static final class FakeControl extends ShuffleServerControlImplBase {
    private final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
    private final CountDownLatch replies;

    FakeControl() {
      this(new CountDownLatch(0));
    }

    /**
     * @param replies reaches 0 when the server replies
     */
    FakeControl(CountDownLatch replies) {
      this.replies = replies;
    }

    @Override
    public void unregisterShuffles(
        UnregisterShufflesRequest request, StreamObserver<UnregisterShufflesReply> observer) {
      asked.add("forget " + request.getApplication() + " " + request.getShufflesList());
      try {
        replies.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      FakeCoordinator.answer(observer, UnregisterShufflesReply.getDefaultInstance());
    }

    @Override
    public void unregisterShuffleApplication(
        UnregisterShuffleApplicationRequest request,
        StreamObserver<UnregisterShufflesReply> observer) {
      asked.add("forget " + request.getApplication());
      FakeCoordinator.answer(observer, UnregisterShufflesReply.getDefaultInstance());
    }
  }

  private Server serve(io.grpc.BindableService service, int port) throws IOException {
    return serve(service, port, builder -> {});
  }

  private Server serve(io.grpc.BindableService service, int port, Consumer<NettyServerBuilder> more)
      throws IOException {
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
            .addService(service);
    more.accept(builder);
    Server server = builder.build().start();
    toClose.add(
        () -> {
          server.shutdownNow();
          server.awaitTermination(60, TimeUnit.SECONDS);
        });
    return server;
  }

  private LeasedApplicationSession session(int... ports) {
    return session(ClientIdentity.ofTask(new ApplicationCredentials()), ports);
  }

  private LeasedApplicationSession session(ClientIdentity identity, int... ports) {
    DriverEnvironment real = DriverEnvironment.of(ClientTls.OFF, System::nanoTime);
    return session(
        identity,
        new DriverEnvironment(
            nanos::get,
            milliseconds -> nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(milliseconds)),
            real.background(),
            real.channels()),
        ports);
  }

  private LeasedApplicationSession session(
      ClientIdentity identity, DriverEnvironment environment, int... ports) {
    List<HostPort> quorum = new ArrayList<>();
    for (int port : ports) {
      quorum.add(new HostPort("127.0.0.1", port));
    }
    CoordinatorClientConfig config =
        new CoordinatorClientConfig(
            quorum, TIMEOUT_MS, TIMEOUT_MS, TIMEOUT_MS, TIMEOUT_MS, 1, 0, List.of(), "", true);
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

  /**
   * A port that refuses connections until a test listens on it. A bound socket that does not listen
   * reserves it.
   */
  private int deadPort() throws IOException {
    Socket socket = new Socket();
    toClose.add(socket);
    // Allows a listener to bind the same port.
    socket.setReuseAddress(true);
    socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return socket.getLocalPort();
  }

  @AfterEach
  void closeAll() throws Exception {
    for (int i = toClose.size() - 1; i >= 0; i--) {
      toClose.get(i).close();
    }
  }

  private static Reason refusal(ShuffleRegistration registration) {
    assertThat(registration).isInstanceOf(Refused.class);
    assertThat(((Refused) registration).message()).isNotEmpty().doesNotContain("\n");
    return ((Refused) registration).reason();
  }

  @Test
  void registersOnceAndThenEachShuffleInOneRoundTrip() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    LeasedApplicationSession session = session(serve(coordinator, 0).getPort());

    for (int shuffle = 0; shuffle < 3; shuffle++) {
      assertThat(session.registerShuffle(shuffle, 10))
          .isInstanceOfSatisfying(
              Assigned.class,
              assigned -> assertThat(assigned.assignment().partitionCount()).isEqualTo(10));
    }
    assertThat(coordinator.asked.stream().filter(line -> !line.equals("renew")))
        .containsExactly("register app of me", "shuffle 0", "shuffle 1", "shuffle 2");
  }

  @Test
  void renewsItsLeaseAndRegistersAgainAfterACoordinatorLostIt() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    LeasedApplicationSession session = session(serve(coordinator, 0).getPort());
    session.registerShuffle(0, 1);
    coordinator.awaitAsked("renew");
    coordinator.awaitAsked("renew");

    coordinator.known.clear();

    coordinator.awaitAsked("register app of me");
    coordinator.awaitAsked("renew");
  }

  private static ShuffleMove move(int shuffle, String from, ServerId to) {
    return ShuffleMove.newBuilder()
        .setShuffle(ShuffleId.newBuilder().setApplication("app").setShuffle(shuffle))
        .setFrom(from)
        .setTo(to)
        .build();
  }

  @Test
  void reportsMovesToTheListenerAndConfirmsThemWithTheNextRenewal() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    ServerId other =
        ServerId.newBuilder().setName("other").setHost("127.0.0.1").setRpcPort(1).build();
    LeasedApplicationSession session = session(serve(coordinator, 0).getPort());
    List<String> moves = Collections.synchronizedList(new ArrayList<>());
    session.onMoved(
        (shuffle, from, to, lost) ->
            moves.add(shuffle + " from " + (lost ? "lost " : "") + from + " to " + to.getName()));
    session.registerShuffle(0, 1);

    coordinator.moves =
        List.of(
            move(0, "s", other),
            move(1, "s", ServerId.getDefaultInstance()),
            move(2, "s", other).toBuilder().setLost(true).build());

    coordinator.awaitAsked("applied other");
    assertThat(moves)
        .contains("0 from s to other", "2 from lost s to other")
        .doesNotContain("1 from s to ");
  }

  @Test
  void doesNotConfirmMovesThatWereNotApplied() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    LeasedApplicationSession session = session(serve(coordinator, 0).getPort());
    session.registerShuffle(0, 1);
    coordinator.moves = List.of(move(0, "s", coordinator.server.toBuilder().setName("t").build()));
    coordinator.awaitAsked("renew");
    coordinator.awaitAsked("renew");
    coordinator.awaitAsked("renew");

    assertThat(coordinator.asked).noneMatch(line -> line.startsWith("applied"));

    session.onMoved((shuffle, from, to, lost) -> true);
    coordinator.awaitAsked("applied t");
  }

  @Test
  void reportsWrongReceiptsOnceToACoordinatorThatKnowsTheApplication() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    LeasedApplicationSession session = session(serve(coordinator, 0).getPort());
    session.registerShuffle(0, 1);
    session.reportWrongReceipts(3);
    coordinator.awaitAsked("wrong 3");
    coordinator.awaitAsked("renew");
    coordinator.awaitAsked("renew");
    assertThat(coordinator.asked).noneMatch(line -> line.startsWith("wrong"));

    coordinator.losesApplicationsAtReport = true;
    session.reportWrongReceipts(4);

    // The first report is answered UNKNOWN_APPLICATION.
    coordinator.awaitAsked("wrong 4");
    coordinator.awaitAsked("wrong 4");
  }

  @Test
  void everyRenewalReportsTheReceiptsOfThatTime() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    LeasedApplicationSession session = session(serve(coordinator, 0).getPort());
    session.registerShuffle(0, 1);
    coordinator.awaitAsked("renew");
    AtomicInteger matched = new AtomicInteger();
    session.receiptsFrom(
        () ->
            List.of(
                ShuffleReceipts.newBuilder()
                    .setShuffle(7)
                    .setMatched(matched.incrementAndGet())
                    .build()));

    coordinator.awaitAsked("receipt 7 1");
    coordinator.awaitAsked("receipt 7 2");
  }

  @Test
  void reportsTasksWithRenewalsAndAtTheEnd() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    LeasedApplicationSession session = session(serve(coordinator, 0).getPort());
    session.registerShuffle(0, 1);
    session.tasksFrom(() -> TaskReport.newBuilder().setPushedBytes(5).build());
    coordinator.awaitAsked("tasks 5");

    session.tasksFrom(() -> TaskReport.newBuilder().setPushedBytes(6).build());
    session.close();

    coordinator.awaitAsked("end with tasks 6");
  }

  @Test
  void reportsAtTheEndWhatNoRenewalHasReported() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    coordinator.leaseMs = TimeUnit.HOURS.toMillis(1);
    LeasedApplicationSession session = session(serve(coordinator, 0).getPort());
    session.registerShuffle(0, 1);
    coordinator.shuffleStatus = Status.NO_SERVERS;
    session.registerShuffle(1, 1);
    session.reportWrongReceipts(2);

    session.close();

    assertThat(coordinator.asked)
        .doesNotContain("renew")
        .contains("end with fallbacks 1", "end with wrong 2");
  }

  @Test
  void registersAgainWhenAShuffleIsRefusedAsUnknown() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    LeasedApplicationSession session = session(serve(coordinator, 0).getPort());
    session.registerShuffle(0, 1);
    coordinator.known.clear();

    assertThat(session.registerShuffle(1, 1)).isInstanceOf(Assigned.class);
  }

  @Test
  void switchesToAnotherCoordinatorAndPrefersIt() throws Exception {
    FakeCoordinator second = new FakeCoordinator();
    int dead = deadPort();
    LeasedApplicationSession session = session(dead, serve(second, 0).getPort());

    assertThat(session.registerShuffle(0, 1)).isInstanceOf(Assigned.class);
    FakeCoordinator first = new FakeCoordinator();
    serve(first, dead);
    assertThat(session.registerShuffle(1, 1)).isInstanceOf(Assigned.class);

    assertThat(first.asked).isEmpty();
  }

  @Test
  void survivesARestartOfTheCoordinator() throws Exception {
    FakeCoordinator before = new FakeCoordinator();
    Server server = serve(before, 0);
    int port = server.getPort();
    LeasedApplicationSession session = session(port);
    assertThat(session.registerShuffle(0, 1)).isInstanceOf(Assigned.class);
    server.shutdownNow();
    assertThat(server.awaitTermination(60, TimeUnit.SECONDS)).isTrue();

    FakeCoordinator after = new FakeCoordinator();
    serve(after, port);

    assertThat(session.registerShuffle(1, 1)).isInstanceOf(Assigned.class);
    after.awaitAsked("register app of me");
    after.awaitAsked("renew");
  }

  @Test
  void refusesWithNoCoordinatorAfterTheRetryPeriod() throws Exception {
    int dead = deadPort();
    LeasedApplicationSession session = session(dead);

    ShuffleRegistration outcome = session.registerShuffle(0, 1);

    assertThat(refusal(outcome)).isEqualTo(Reason.NO_COORDINATOR);
    assertThat(((Refused) outcome).message()).contains("127.0.0.1:" + dead);
    FakeCoordinator late = new FakeCoordinator();
    serve(late, dead);
    late.awaitAsked("register app of me");
    int shuffle = 1;
    while (!(session.registerShuffle(shuffle, 1) instanceof Assigned)) {
      shuffle++;
    }
    assertThat(late.asked).contains("shuffle " + shuffle);
  }

  @Test
  void reportsTheReasonOfTheCoordinator() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    LeasedApplicationSession session = session(serve(coordinator, 0).getPort());

    coordinator.applicationStatus = Status.DENIED;
    assertThat(refusal(session.registerShuffle(0, 1))).isEqualTo(Reason.DENIED);
    coordinator.applicationStatus = Status.OK;
    coordinator.shuffleStatus = Status.NO_SERVERS;
    assertThat(refusal(session.registerShuffle(0, 1))).isEqualTo(Reason.NO_SERVERS);
    coordinator.shuffleStatus = Status.BAD_REQUEST;
    assertThat(refusal(session.registerShuffle(0, 1))).isEqualTo(Reason.UNSUPPORTED);
    assertThat(refusal(session.registerShuffle(0, 1 << 24))).isEqualTo(Reason.UNSUPPORTED);
    assertThat(refusal(session().registerShuffle(0, 1))).isEqualTo(Reason.NOT_CONFIGURED);
    session.close();
    assertThat(refusal(session.registerShuffle(0, 1))).isEqualTo(Reason.CLOSED);
  }

  private static ClientIdentity driverWithSecret(ApplicationCredentials credentials)
      throws IOException {
    return ClientIdentity.ofDriver(
        ClientSecurityConfig.NONE,
        "me",
        Map.of(ClientIdentity.SECRET_VARIABLE, SECRET),
        credentials);
  }

  @Test
  void sendsNothingToACoordinatorWithoutAuthenticationIfTheJobHasASecret() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    int port = serve(coordinator, 0).getPort();
    LeasedApplicationSession session =
        session(driverWithSecret(new ApplicationCredentials()), port);

    Refused refused = (Refused) session.registerShuffle(0, 1);

    assertThat(refusal(refused)).isEqualTo(Reason.DENIED);
    assertThat(refused.message())
        .startsWith("coordinator 127.0.0.1:" + port + ": ")
        .contains("did not prove that it belongs to this cluster")
        .contains("does not support authentication");
    assertThat(coordinator.asked).isEmpty();
  }

  private ClusterSecurity security() throws IOException {
    Path users =
        Files.writeString(directory.resolve("users"), TestUsers.line("me", "admin", SECRET));
    return new TestAuthority()
        .security(directory, ProcessRole.COORDINATOR, true, Optional.of(users), TlsConfig.OFF);
  }

  private int serve(FakeCoordinator coordinator, ClusterSecurity security) throws IOException {
    return serve(coordinator, 0, builder -> TestGuard.guard(security, builder, null)).getPort();
  }

  @Test
  void skipsAFalseCoordinator() throws Exception {
    FakeCoordinator impostor = new FakeCoordinator();
    FakeCoordinator right = new FakeCoordinator();
    ClusterSecurity security = security();
    right.grants = security.grants();
    ApplicationCredentials credentials = new ApplicationCredentials();
    LeasedApplicationSession session =
        session(
            driverWithSecret(credentials), serve(impostor, 0).getPort(), serve(right, security));

    assertThat(session.registerShuffle(0, 1)).isInstanceOf(Assigned.class);

    assertThat(impostor.asked).isEmpty();
    assertThat(credentials.forConnection()).isPresent();
  }

  @Test
  void aCoordinatorThatGrantsNoTokenAssignsNoServers() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    int port = serve(coordinator, security());
    ApplicationCredentials credentials = new ApplicationCredentials();
    LeasedApplicationSession session = session(driverWithSecret(credentials), port);

    Refused refused = (Refused) session.registerShuffle(0, 1);

    assertThat(refusal(refused)).isEqualTo(Reason.DENIED);
    assertThat(refused.message()).contains("granted no token");
    assertThat(coordinator.asked).containsExactly("register app of me");
    assertThatThrownBy(credentials::forConnection)
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("cannot connect without a token");
  }

  @Test
  void unregistersAtServersAndCoordinators() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    FakeControl control = new FakeControl();
    int port = serve(control, 0).getPort();
    coordinator.server =
        ServerId.newBuilder().setName("s").setHost("127.0.0.1").setRpcPort(port).build();
    LeasedApplicationSession session = session(serve(coordinator, 0).getPort());
    session.registerShuffle(4, 1);

    session.unregisterShuffle(4);
    assertThat(control.asked.poll(60, TimeUnit.SECONDS)).isEqualTo("forget app [4]");
    session.unregisterShuffle(4);
    session.close();

    assertThat(control.asked).containsExactly("forget app");
    coordinator.awaitAsked("unregister app");
  }

  @Test
  void aServerThatDoesNotReplyDelaysTheLeaseOnlyOnceForManyShuffles() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    CountDownLatch replies = new CountDownLatch(1);
    FakeControl control = new FakeControl(replies);
    coordinator.server = server("s", serve(control, 0).getPort());
    LeasedApplicationSession session = session(serve(coordinator, 0).getPort());
    for (int shuffle = 1; shuffle <= 4; shuffle++) {
      session.registerShuffle(shuffle, 1);
    }

    session.unregisterShuffle(1);
    assertThat(control.asked.poll(60, TimeUnit.SECONDS)).isEqualTo("forget app [1]");
    session.unregisterShuffle(2);
    session.unregisterShuffle(3);
    session.unregisterShuffle(4);
    replies.countDown();

    assertThat(control.asked.poll(60, TimeUnit.SECONDS)).isEqualTo("forget app [2, 3, 4]");
  }

  private static ServerId server(String name, int port) {
    return ServerId.newBuilder().setName(name).setHost("127.0.0.1").setRpcPort(port).build();
  }

  @Test
  void unregistersAtTheServerToWhichAShuffleWasMoved() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    FakeControl target = new FakeControl();
    LeasedApplicationSession session = session(serve(coordinator, 0).getPort());
    session.onMoved((shuffle, from, to, lost) -> true);
    session.registerShuffle(4, 1);
    coordinator.moves = List.of(move(4, "s", server("t", serve(target, 0).getPort())));
    coordinator.awaitAsked("applied t");

    session.unregisterShuffle(4);

    assertThat(target.asked.poll(60, TimeUnit.SECONDS)).isEqualTo("forget app [4]");
  }

  @Test
  void unregistersAtAReplacementServerToo() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    FakeControl first = new FakeControl();
    FakeControl further = new FakeControl();
    coordinator.server = server("s", serve(first, 0).getPort());
    LeasedApplicationSession session = session(serve(coordinator, 0).getPort());
    session.registerShuffle(4, 10);
    coordinator.server = server("t", serve(further, 0).getPort());
    coordinator.known.clear();

    assertThat(session.replacementServer(4, 3, List.of("s"), "")).contains(coordinator.server);
    coordinator.awaitAsked("further 4 for 3 without [s]");
    assertThat(session.replacementServer(4, 99, List.of("t"), "")).isEmpty();
    assertThat(session.replacementServer(5, 3, List.of("s"), "")).isEmpty();
    coordinator.shuffleStatus = Status.NO_SERVERS;
    assertThat(session.replacementServer(4, 3, List.of("s"), "")).isEmpty();

    session.unregisterShuffle(4);
    assertThat(first.asked.poll(60, TimeUnit.SECONDS)).isEqualTo("forget app [4]");
    assertThat(further.asked.poll(60, TimeUnit.SECONDS)).isEqualTo("forget app [4]");
    assertThat(session.replacementServer(4, 3, List.of(), "")).isEmpty();
    session.close();
    assertThat(further.asked.poll(60, TimeUnit.SECONDS)).isEqualTo("forget app");
  }

  @Test
  void requestsAReplacementServerInTheZoneOfTheFailedOne() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    LeasedApplicationSession session = session(serve(coordinator, 0).getPort());
    session.registerShuffle(4, 10);
    assertThat(coordinator.asked).noneMatch(line -> line.startsWith("zone"));

    assertThat(session.replacementServer(4, 3, List.of("x"), "b")).isPresent();

    coordinator.awaitAsked("zone b");
  }

  @Test
  void choosesAUsedServerWhileNoCoordinatorReplies() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    Server running = serve(coordinator, 0);
    LeasedApplicationSession session = session(running.getPort());
    for (String name : List.of("s", "t", "u")) {
      coordinator.server = server(name, 1);
      session.registerShuffle(name.charAt(0), 10);
    }
    running.shutdownNow();
    assertThat(running.awaitTermination(60, TimeUnit.SECONDS)).isTrue();

    assertThat(session.replacementServer('s', 10, List.of("s"), "")).contains(server("t", 1));
    assertThat(session.replacementServer('s', 10, List.of("s"), "")).contains(server("u", 1));
    assertThat(session.replacementServer('s', 10, List.of("s", "t", "u"), "")).isEmpty();
  }

  @Test
  void closesAlthoughServersAreUnreachable() throws Exception {
    FakeCoordinator coordinator = new FakeCoordinator();
    coordinator.server =
        ServerId.newBuilder().setName("s").setHost("127.0.0.1").setRpcPort(deadPort()).build();
    LeasedApplicationSession session = session(serve(coordinator, 0).getPort());
    session.registerShuffle(4, 1);

    session.close();

    coordinator.awaitAsked("unregister app");
  }
}
