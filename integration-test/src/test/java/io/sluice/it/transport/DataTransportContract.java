package io.sluice.it.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.client.transport.ConnectionLostException;
import io.sluice.client.transport.DataConnection;
import io.sluice.client.transport.DataTransport;
import io.sluice.client.transport.FetchedBody;
import io.sluice.client.transport.TransportConfig;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.frame.FrameHeads;
import io.sluice.common.frame.FrameLimits;
import io.sluice.common.frame.FrameType;
import io.sluice.common.net.IoMode;
import io.sluice.common.net.LeakCheck;
import io.sluice.proto.Fetch;
import io.sluice.proto.Hello;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.Range;
import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.Status;
import io.sluice.server.service.DataService;
import io.sluice.server.transport.DataTransportConfig;
import io.sluice.server.transport.TransportCounters.Denial;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What every data transport does, seen from both of its ends. */
@ExtendWith(LeakCheck.class)
@Timeout(60)
abstract class DataTransportContract {
  static final int SLAB = 64 << 10;
  static final int SLABS = 40;
  static final FrameLimits LIMITS = new FrameLimits(64 << 10, 4 << 20);
  static final String APPLICATION = "app-1";

  private static final int WAIT_SECONDS = 10;

  @TempDir Path directory;

  private final Random random = new Random(20_260_101);
  private final List<AutoCloseable> opened = new ArrayList<>();
  FakeMemory memory;
  FakeDataService service;
  Loopback loopback;
  DataTransport client;

  abstract Loopback open(DataService dataService, DataTransportConfig config) throws IOException;

  abstract IoMode clientIoMode();

  @BeforeEach
  void start() throws IOException {
    memory = new FakeMemory(SLAB, SLABS);
    service = new FakeDataService(memory, LIMITS, directory);
    start(DataTransportConfig.DEFAULT);
  }

  private void start(DataTransportConfig config) throws IOException {
    stopEnds();
    loopback = open(service, config);
    client = newClient(30_000);
  }

  private DataTransport newClient(int requestTimeoutMs) {
    DataTransport transport =
        loopback.newClient(new TransportConfig(5_000, requestTimeoutMs, clientIoMode(), 2, LIMITS));
    opened.add(transport);
    return transport;
  }

  private void stopEnds() {
    for (AutoCloseable end : opened) {
      try {
        end.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
    opened.clear();
    if (loopback != null) {
      loopback.close();
      assertThat(loopback.counters().openConnections()).isZero();
      assertThat(loopback.counters().pausedConnections()).isZero();
    }
  }

  @AfterEach
  void stop() {
    stopEnds();
    service.close();
    await("fetches closed", () -> service.fetchesInUse() == 0);
    await("memory freed", () -> memory.usedSlabs() == 0);
    assertThat(memory.waiting()).isZero();
  }

  // Greeting.

  @Test
  void agreesOnVersionEpochAndLimits() throws Exception {
    DataConnection connection = connect();

    assertThat(connection.epoch()).isEqualTo(FakeDataService.EPOCH);
    assertThat(connection.maxBodyLength()).isEqualTo(LIMITS.maxBodyLength());
    assertThat(connection.isOpen()).isTrue();
  }

  @Test
  void passesOnWhyHelloIsRefused() {
    assertThatThrownBy(() -> get(client.connect(loopback.server(), "", "test")))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("HELLO without an application")
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.BAD_REQUEST);
  }

  @Test
  void refusesUnknownVersionNamingBoth() throws Exception {
    try (RawPeer peer = loopback.newRawPeer()) {
      peer.send(
          frame(FrameType.HELLO, 5, Hello.newBuilder().setMinVersion(7).setMaxVersion(9).build()));

      RawPeer.Frame reply = peer.receive();
      assertThat(reply.header().requestId()).isEqualTo(5);
      assertThat(reply.error().getStatus()).isEqualTo(Status.BAD_VERSION);
      assertThat(reply.error().getMessage()).contains("7 to 9").contains("1 to 1");
      assertThat(reply.error().getEpoch()).isEqualTo(FakeDataService.EPOCH);
      assertThat(peer.receive()).isNull();
    }
  }

  @Test
  void refusesFirstFrameThatIsNotHello() throws Exception {
    try (RawPeer peer = loopback.newRawPeer()) {
      peer.send(frame(FrameType.OPEN, 1, Open.getDefaultInstance()));

      assertRefused(peer, Status.BAD_MESSAGE, "expected HELLO first");
    }
  }

  @Test
  void refusesLargeHeadBeforeHello() throws Exception {
    try (RawPeer peer = loopback.newRawPeer()) {
      peer.send(frame(FrameType.HELLO, 1, Hello.newBuilder().setClient("x".repeat(5_000)).build()));

      assertRefused(peer, Status.FRAME_TOO_LARGE, "");
    }
  }

  @Test
  void refusesFramesThatOnlyServersSend() throws Exception {
    Set<FrameType> servers =
        EnumSet.complementOf(EnumSet.of(FrameType.PUSH, FrameType.OPEN, FrameType.FETCH));
    for (FrameType type : servers) {
      try (RawPeer peer = greetedPeer()) {
        peer.send(frame(type, 3, Hello.getDefaultInstance()));

        assertRefused(peer, Status.BAD_MESSAGE, type.name());
      }
    }
    assertThat(loopback.counters().protocolErrors()).isEqualTo(servers.size());
  }

  // Requests.

  @Test
  void bringsBackBodiesOfEverySizeFromMemoryAndFile() throws Exception {
    DataConnection connection = connect();
    int[] lengths = {
      1, 31, 2_047, 2_048, 8_191, 8_192, 8_193, SLAB - 1, SLAB, SLAB + 1, 3 * SLAB, 1_300_000
    };
    for (int i = 0; i < lengths.length; i++) {
      byte[] bytes = randomBytes(lengths[i]);

      assertThat(push(connection, i, bytes).getEpoch()).isEqualTo(FakeDataService.EPOCH);

      assertThat(fetch(connection, range(i, 0, bytes.length))).isEqualTo(bytes);
      service.spill();
      assertThat(fetch(connection, range(i, 0, bytes.length))).isEqualTo(bytes);
      assertThat(memory.usedSlabs()).isZero();
    }
  }

  @Test
  void takesBodyOfExactlyTheLimit() throws Exception {
    memory = new FakeMemory(SLAB, LIMITS.maxBodyLength() / SLAB);
    service.close();
    service = new FakeDataService(memory, LIMITS, directory);
    start(DataTransportConfig.DEFAULT);
    DataConnection connection = connect();
    byte[] bytes = randomBytes(LIMITS.maxBodyLength());

    push(connection, 1, bytes);

    assertThat(memory.usedSlabs()).isEqualTo(LIMITS.maxBodyLength() / SLAB);
    assertThat(fetch(connection, range(1, 0, bytes.length))).isEqualTo(bytes);
  }

  @Test
  void pushWithoutBlocksIsTheServicesToJudge() throws Exception {
    assertThat(push(connect(), 1, new byte[0]).getEpoch()).isEqualTo(FakeDataService.EPOCH);
  }

  @Test
  void fetchesManyRangesAcrossMemoryAndFile() throws Exception {
    DataConnection connection = connect();
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    for (int i = 0; i < 6; i++) {
      byte[] bytes = randomBytes(100_000 + i);
      push(connection, 4, bytes);
      whole.write(bytes);
      if (i == 2) {
        service.spill();
      }
    }
    Fetch.Builder fetch = Fetch.newBuilder();
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    for (int i = 0; i < 300; i++) {
      int offset = random.nextInt(whole.size());
      int length = 1 + random.nextInt(Math.min(5_000, whole.size() - offset));
      fetch.addRanges(range(4, offset, length));
      expected.write(whole.toByteArray(), offset, length);
    }
    fetch.addRanges(range(4, 0, whole.size()));
    expected.write(whole.toByteArray());

    assertThat(fetch(connection, fetch.build())).isEqualTo(expected.toByteArray());
  }

  @Test
  void pipelinesRequestsOfManyThreads() throws Exception {
    DataConnection connection = connect();
    service.keepBodies(true);
    List<CompletableFuture<byte[]>> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      int shuffle = t;
      threads.add(
          CompletableFuture.supplyAsync(
              () -> {
                Random own = new Random(shuffle);
                ByteArrayOutputStream pushed = new ByteArrayOutputStream();
                List<CompletableFuture<PushAck>> acks = new ArrayList<>();
                for (int i = 0; i < 50; i++) {
                  byte[] bytes = new byte[1 + own.nextInt(6_000)];
                  own.nextBytes(bytes);
                  pushed.writeBytes(bytes);
                  acks.add(connection.push(pushOf(shuffle), direct(bytes)));
                }
                acks.forEach(CompletableFuture::join);
                return pushed.toByteArray();
              }));
    }
    await(
        "all pushed",
        () -> {
          service.spill();
          return service.pushes() == 200;
        });
    for (int t = 0; t < threads.size(); t++) {
      byte[] pushed = threads.get(t).get(30, TimeUnit.SECONDS);
      assertThat(fetch(connection, range(t, 0, pushed.length))).isEqualTo(pushed);
    }
    assertThat(service.pushes()).isEqualTo(200);
  }

  @Test
  void matchesRepliesByIdWhateverTheirOrder() throws Exception {
    DataConnection connection = connect();
    CompletableFuture<OpenReply> waits =
        connection.open(Open.newBuilder().setMaxWaitMs(20_000).build());
    await("open held", () -> service.heldOpens() == 1);

    push(connection, 1, randomBytes(10));
    OpenReply atOnce = get(connection.open(Open.newBuilder().addPartitions(1).build()));

    assertThat(atOnce.getPartitions(0).getLength()).isEqualTo(10);
    assertThat(waits).isNotDone();
    service.answerHeldOpens();
    assertThat(get(waits).getEpoch()).isEqualTo(FakeDataService.EPOCH);
  }

  @Test
  void refusedRequestLeavesConnectionUsable() throws Exception {
    DataConnection connection = connect();
    service.refuseNextPush(new SluiceException(StatusCode.EXPIRED, "shuffle 9 has ended"));

    assertThatThrownBy(() -> push(connection, 9, randomBytes(200_000)))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("shuffle 9 has ended")
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.EXPIRED);
    assertThatThrownBy(() -> fetch(connection, range(9, 0, 1)))
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.OUT_OF_RANGE);
    assertThat(memory.usedSlabs()).isZero();

    byte[] bytes = randomBytes(1_000);
    push(connection, 9, bytes);
    assertThat(fetch(connection, range(9, 0, 1_000))).isEqualTo(bytes);
  }

  @Test
  void faultInTheServiceIsAnsweredAndLeavesConnectionUsable() throws Exception {
    DataConnection connection = connect();
    service.failNextPush(new IllegalStateException("a bug"));

    assertThatThrownBy(() -> push(connection, 1, randomBytes(10)))
        .hasMessageContaining("a bug")
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.INTERNAL);
    push(connection, 1, randomBytes(10));
  }

  @Test
  void bodyThatCanNeverBeAdmittedIsRefusedAndDropped() throws Exception {
    DataConnection connection = connect();
    int length = (SLABS + 1) * SLAB;

    assertThatThrownBy(() -> push(connection, 1, randomBytes(length)))
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.FRAME_TOO_LARGE);

    assertThat(memory.mostUsedSlabs()).isZero();
    byte[] bytes = randomBytes(1_000);
    push(connection, 1, bytes);
    assertThat(fetch(connection, range(1, 0, 1_000))).isEqualTo(bytes);
  }

  @Test
  void clientSendsNoBodyAboveTheServersLimit() throws Exception {
    DataConnection connection = connect();

    assertThatThrownBy(() -> push(connection, 1, new byte[LIMITS.maxBodyLength() + 1]))
        .hasMessageContaining("limit " + LIMITS.maxBodyLength())
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.FRAME_TOO_LARGE);
    assertThatThrownBy(() -> fetch(connection, range(1, 0, LIMITS.maxBodyLength() + 1)))
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.FRAME_TOO_LARGE);
    assertThat(connection.isOpen()).isTrue();
  }

  // Back-pressure.

  @Test
  void pausesTheConnectionThatFindsNoMemoryAndLosesNothing() throws Exception {
    DataConnection filling = connect();
    DataConnection other = connect();
    byte[][] bodies = new byte[3 * SLABS][];
    List<CompletableFuture<PushAck>> acks = new ArrayList<>();
    for (int i = 0; i < bodies.length; i++) {
      bodies[i] = randomBytes(SLAB - random.nextInt(100));
      acks.add(filling.push(pushOf(1), direct(bodies[i])));
    }
    await("connection paused", () -> loopback.counters().pausedConnections() == 1);
    assertThat(service.pushes()).isEqualTo(SLABS);

    // The others go on.
    assertThat(
            get(other.open(Open.newBuilder().addPartitions(1).build()))
                .getPartitions(0)
                .getLength())
        .isPositive();
    assertThat(fetch(other, range(1, 0, 1_000))).isEqualTo(Arrays.copyOf(bodies[0], 1_000));

    while (!acks.get(acks.size() - 1).isDone()) {
      await(
          "paused again or done", () -> memory.waiting() > 0 || acks.get(acks.size() - 1).isDone());
      service.spill();
    }

    for (CompletableFuture<PushAck> ack : acks) {
      get(ack);
    }
    service.spill();
    int offset = 0;
    for (byte[] body : bodies) {
      assertThat(fetch(other, range(1, offset, body.length))).isEqualTo(body);
      offset += body.length;
    }
    assertThat(memory.mostUsedSlabs()).isEqualTo(SLABS);
    assertThat(loopback.counters().pauses()).isPositive();
    assertThat(loopback.counters().pausedConnections()).isZero();
  }

  @Test
  void manyConnectionsShareLittleMemory() throws Exception {
    service.keepBodies(false);
    List<CompletableFuture<PushAck>> acks = new ArrayList<>();
    for (int c = 0; c < 30; c++) {
      DataConnection connection = connect();
      for (int i = 0; i < 4; i++) {
        acks.add(connection.push(pushOf(c), direct(randomBytes(5 * SLAB))));
      }
    }
    for (CompletableFuture<PushAck> ack : acks) {
      assertThat(ack.get(30, TimeUnit.SECONDS).getEpoch()).isEqualTo(FakeDataService.EPOCH);
    }
    assertThat(memory.mostUsedSlabs()).isLessThanOrEqualTo(SLABS);
    assertThat(service.pushes()).isEqualTo(120);
  }

  @Test
  void doesNotReadOnWhileClientLeavesRepliesUnread() throws Exception {
    DataConnection connection = connect();
    push(connection, 1, randomBytes(1_000_000));
    service.spill();
    try (RawPeer peer = greetedPeer()) {
      byte[] fetch =
          frame(FrameType.FETCH, 2, Fetch.newBuilder().addRanges(range(1, 0, 1_000_000)).build());
      for (int i = 0; i < 200; i++) {
        peer.send(fetch);
      }
      // 200 MB are asked for. The kernel's buffers take some, the server's mark a few more.
      await("first replies under way", () -> service.fetchesInUse() > 0);
      assertThat(push(connection, 2, randomBytes(10)).getEpoch()).isEqualTo(FakeDataService.EPOCH);
      assertThat(service.fetches()).isLessThan(60);
    }
    await("replies given up", () -> service.fetchesInUse() == 0);
  }

  @Test
  void boundsPendingOpens() throws Exception {
    start(new DataTransportConfig(30_000, 60_000, 180_000, 100, 5));
    DataConnection connection = connect();
    List<CompletableFuture<OpenReply>> opens = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      opens.add(connection.open(Open.newBuilder().setMaxWaitMs(20_000).build()));
    }
    await("opens held", () -> service.heldOpens() == 5);

    int answered = 0;
    while (answered < 12) {
      int expected = Math.min(5, 12 - answered);
      await("opens held", () -> service.heldOpens() == expected);
      service.answerHeldOpens();
      answered += expected;
    }
    for (CompletableFuture<OpenReply> open : opens) {
      get(open);
    }
  }

  @Test
  void boundsPendingFetches() throws Exception {
    start(new DataTransportConfig(30_000, 60_000, 180_000, 100, 5));
    DataConnection connection = connect();
    byte[] pushed = randomBytes(100_000);
    push(connection, 1, pushed);
    service.spill();
    service.holdFetches(true);
    List<CompletableFuture<FetchedBody>> fetches = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      fetches.add(
          connection.fetch(Fetch.newBuilder().addRanges(range(1, 1000L * i, 1000)).build()));
    }
    int answered = 0;
    while (answered < 12) {
      int expected = Math.min(5, 12 - answered);
      await("fetches held", () -> service.heldFetches() == expected);
      service.answerHeldFetches();
      answered += expected;
    }
    for (int i = 0; i < 12; i++) {
      try (FetchedBody body = get(fetches.get(i))) {
        assertThat(body.bytes()).isEqualTo(Unpooled.wrappedBuffer(pushed, 1000 * i, 1000));
      }
    }
  }

  @Test
  void goesOnWhileAFetchWaits() throws Exception {
    DataConnection connection = connect();
    push(connection, 1, randomBytes(10));
    service.holdFetches(true);
    CompletableFuture<FetchedBody> slow =
        connection.fetch(Fetch.newBuilder().addRanges(range(1, 0, 10)).build());
    await("fetch held", () -> service.heldFetches() == 1);
    push(connection, 2, randomBytes(100_000));
    service.holdFetches(false);
    assertThat(fetch(connection, range(2, 0, 10))).hasSize(10);
    assertThat(slow).isNotDone();
    service.answerHeldFetches();
    get(slow).close();
  }

  // Clients that go away.

  @Test
  void closesFetchThatIsAnsweredAfterItsClientWentAway() throws Exception {
    DataConnection connection = connect();
    push(connection, 1, randomBytes(2_000));
    service.holdFetches(true);
    try (RawPeer peer = greetedPeer()) {
      peer.send(
          frame(FrameType.FETCH, 2, Fetch.newBuilder().addRanges(range(1, 0, 2_000)).build()));
      await("fetch held", () -> service.heldFetches() == 1);
    }
    await("connection gone", () -> loopback.counters().openConnections() == 1);
    service.answerHeldFetches();
    await("fetch closed", () -> service.fetchesInUse() == 0);
  }

  @Test
  void freesBodyOfClientThatGoesAwayInTheMiddle() throws Exception {
    for (int received : new int[] {0, 1, 5_000, SLAB, 300_000, 399_999}) {
      try (RawPeer peer = greetedPeer()) {
        peer.send(frame(FrameType.PUSH, 2, pushOf(1), 400_000), new byte[received]);
        await("memory taken for " + received, () -> memory.usedSlabs() == 7);
      }
      await("memory freed after " + received, () -> memory.usedSlabs() == 0);
    }
    assertThat(service.pushes()).isZero();
  }

  @Test
  void forgetsClientThatGoesAwayWhileItWaitsForMemory() throws Exception {
    DataConnection connection = connect();
    push(connection, 1, randomBytes(SLABS * SLAB));
    for (int i = 0; i < 3; i++) {
      try (RawPeer peer = greetedPeer()) {
        peer.send(frame(FrameType.PUSH, 2, pushOf(1), 100_000), new byte[5_000]);
        await("waits", () -> memory.waiting() == 1);
      }
      service.clear();
      await("memory freed", () -> memory.usedSlabs() == 0);
      await("connection gone", () -> loopback.counters().openConnections() == 1);
      push(connection, 1, randomBytes(SLABS * SLAB));
    }
  }

  @Test
  void closesFetchOfClientThatGoesAwayInTheMiddle() throws Exception {
    DataConnection connection = connect();
    push(connection, 1, randomBytes(2_000_000));
    for (int round = 0; round < 2; round++) {
      try (RawPeer peer = greetedPeer()) {
        byte[] fetch =
            frame(FrameType.FETCH, 2, Fetch.newBuilder().addRanges(range(1, 0, 2_000_000)).build());
        for (int i = 0; i < 20; i++) {
          peer.send(fetch);
        }
        await("fetch under way", () -> service.fetchesInUse() > 0);
      }
      await("fetches closed", () -> service.fetchesInUse() == 0);
      service.spill();
    }
  }

  @Test
  void closingTheClientFailsWhatIsPending() throws Exception {
    DataConnection connection = connect();
    CompletableFuture<OpenReply> pending =
        connection.open(Open.newBuilder().setMaxWaitMs(20_000).build());
    await("open held", () -> service.heldOpens() == 1);

    connection.close();
    connection.close();

    assertThatThrownBy(() -> get(pending)).isInstanceOf(ConnectionLostException.class);
    assertThat(connection.isOpen()).isFalse();
    assertThatThrownBy(() -> push(connection, 1, randomBytes(10)))
        .isInstanceOf(ConnectionLostException.class);
    await("connection gone", () -> loopback.counters().openConnections() == 0);
  }

  @Test
  void fetchCancelledBeforeItsReplyIsFreed() throws Exception {
    DataConnection connection = connect();
    push(connection, 1, randomBytes(1_000_000));
    service.holdFetches(true);
    CompletableFuture<FetchedBody> fetch =
        connection.fetch(Fetch.newBuilder().addRanges(range(1, 0, 1_000_000)).build());
    await("fetch held", () -> service.heldFetches() == 1);

    assertThat(fetch.cancel(false)).as("cancelled before it was answered").isTrue();
    service.holdFetches(false);
    service.answerHeldFetches();

    // Replies to one connection's fetches come in order: the cancelled one has come by then.
    assertThat(fetch(connection, range(1, 0, 10))).hasSize(10);
  }

  @Test
  void fetchCancelledAfterItsReplyStaysTheCallersToClose() throws Exception {
    DataConnection connection = connect();
    byte[] bytes = randomBytes(1_000_000);
    push(connection, 1, bytes);
    CompletableFuture<FetchedBody> fetch =
        connection.fetch(Fetch.newBuilder().addRanges(range(1, 0, 1_000_000)).build());
    await("reply here", fetch::isDone);

    assertThat(fetch.cancel(false)).isFalse();

    try (FetchedBody body = get(fetch)) {
      assertThat(ByteBufUtil.getBytes(body.bytes())).isEqualTo(bytes);
    }
  }

  @Test
  void closingTheClientWhileRepliesComeFreesThem() throws Exception {
    push(connect(), 1, randomBytes(2_000_000));
    for (int round = 0; round < 20; round++) {
      int before = service.fetches();
      DataConnection connection = connect();
      List<CompletableFuture<FetchedBody>> fetches = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        fetches.add(connection.fetch(Fetch.newBuilder().addRanges(range(1, 0, 2_000_000)).build()));
      }
      // Somewhere in the first bodies: how far they have come differs from round to round.
      await("replies under way", () -> service.fetches() > before);

      connection.close();

      for (CompletableFuture<FetchedBody> fetch : fetches) {
        try {
          get(fetch).close();
        } catch (ConnectionLostException e) {
          assertThat(e).hasMessageContaining("closed by the client");
        }
      }
    }
    await("fetches closed", () -> service.fetchesInUse() == 0);
  }

  // Servers that go away.

  @Test
  void serverThatStopsFailsWhatIsPendingOnce() throws Exception {
    DataConnection connection = connect();
    CompletableFuture<OpenReply> pending =
        connection.open(Open.newBuilder().setMaxWaitMs(20_000).build());
    await("open held", () -> service.heldOpens() == 1);

    loopback.close();

    assertThatThrownBy(() -> get(pending)).isInstanceOf(ConnectionLostException.class);
    await("connection closed", () -> !connection.isOpen());
    service.answerHeldOpens();
    assertThatThrownBy(() -> get(client.connect(loopback.server(), APPLICATION, "test")))
        .isInstanceOf(ConnectionLostException.class);
  }

  @Test
  void requestThatStaysWithoutReplyEndsTheConnection() throws Exception {
    DataTransport impatient = newClient(200);
    DataConnection connection = get(impatient.connect(loopback.server(), APPLICATION, "impatient"));
    CompletableFuture<OpenReply> first = connection.open(Open.newBuilder().setMaxWaitMs(1).build());

    assertThatThrownBy(() -> get(first))
        .isInstanceOf(ConnectionLostException.class)
        .hasMessageContaining("silent");
    assertThat(connection.isOpen()).isFalse();
  }

  @Test
  void connectFailsWithinItsTimeoutWhenServerIsMute() throws Exception {
    try (ServerSocket mute = new ServerSocket(0)) {
      ServerId server =
          ServerId.newBuilder()
              .setName("mute")
              .setHost("127.0.0.1")
              .setRpcPort(mute.getLocalPort())
              .setNettyPort(mute.getLocalPort())
              .build();
      DataTransport impatient =
          loopback.newClient(new TransportConfig(300, 30_000, clientIoMode(), 1, LIMITS));
      opened.add(impatient);

      assertThatThrownBy(() -> get(impatient.connect(server, APPLICATION, "test")))
          .isInstanceOf(ConnectionLostException.class)
          .hasMessageContaining("mute");
    }
  }

  // Bytes that are wrong.

  @Test
  void namesEveryFlippedByteOfHeaderAndHead() throws Exception {
    byte[] body = randomBytes(100_000);
    byte[] good = frame(FrameType.PUSH, 2, pushOf(1), body.length);
    for (int at = 0; at < good.length; at++) {
      byte[] bad = good.clone();
      bad[at] ^= (byte) (1 << random.nextInt(8));
      try (RawPeer peer = greetedPeer()) {
        try {
          peer.send(bad, body);
        } catch (IOException e) {
          // The server has closed before it was sent all.
          assertThat(e).hasMessageNotContaining("timed out");
        }
        RawPeer.Frame reply = peer.receive();
        assertThat(reply).as("byte %d", at).isNotNull();
        assertThat(reply.error().getStatus())
            .as("byte %d", at)
            .isIn(
                Status.FRAME_CORRUPT,
                Status.BAD_VERSION,
                Status.BAD_MESSAGE,
                Status.FRAME_TOO_LARGE);
        assertThat(reply.error().getMessage()).startsWith("frame");
        assertThat(peer.receive()).as("byte %d", at).isNull();
      }
    }
    assertThat(service.pushes()).isZero();
    assertThat(memory.mostUsedSlabs()).isZero();
    assertThat(loopback.counters().protocolErrors()).isEqualTo(good.length);
  }

  @Test
  void refusesFrameAboveTheLimitsWithoutMemoryForIt() throws Exception {
    try (RawPeer peer = greetedPeer()) {
      peer.send(frame(FrameType.PUSH, 8, pushOf(1), LIMITS.maxBodyLength() + 1));

      RawPeer.Frame reply = peer.receive();
      assertThat(reply.header().requestId()).isEqualTo(8);
      assertThat(reply.error().getStatus()).isEqualTo(Status.FRAME_TOO_LARGE);
      assertThat(peer.receive()).isNull();
    }
    try (RawPeer peer = greetedPeer()) {
      Open.Builder large = Open.newBuilder();
      for (int i = 0; i < LIMITS.maxHeadLength(); i++) {
        large.addPartitions(i);
      }
      try {
        peer.send(frame(FrameType.OPEN, 8, large.build()));
      } catch (IOException e) {
        assertThat(e).hasMessageNotContaining("timed out");
      }
      assertRefused(peer, Status.FRAME_TOO_LARGE, "");
    }
    assertThat(memory.mostUsedSlabs()).isZero();
  }

  @Test
  void refusesHeadThatIsNotItsMessage() throws Exception {
    try (RawPeer peer = greetedPeer()) {
      // A HELLO's client name is a string where a FETCH has its epoch: not parsable as one.
      peer.send(
          frame(
              FrameType.FETCH,
              3,
              Hello.newBuilder().setClient("\u0001\u0001").setMinVersion(1).build()));

      assertRefused(peer, Status.BAD_MESSAGE, "FETCH");
    }
  }

  @Test
  void endsConnectionOfClientThatIsCutOffAnywhere() throws Exception {
    byte[] good = frame(FrameType.PUSH, 2, pushOf(1), 10);
    for (int cut = 1; cut < good.length; cut++) {
      try (RawPeer peer = greetedPeer()) {
        peer.send(Arrays.copyOf(good, cut));
      }
    }
    await("connections gone", () -> loopback.counters().openConnections() == 0);
    assertThat(memory.mostUsedSlabs()).isZero();
  }

  @Test
  void refusesRandomBytes() throws Exception {
    for (int i = 0; i < 30; i++) {
      try (RawPeer peer = loopback.newRawPeer()) {
        try {
          peer.send(randomBytes(40 + random.nextInt(10_000)));
        } catch (IOException e) {
          assertThat(e).hasMessageNotContaining("timed out");
        }
        RawPeer.Frame reply = peer.receive();
        if (reply != null) {
          assertThat(reply.header().type()).isEqualTo(FrameType.ERROR);
          assertThat(peer.receive()).isNull();
        }
      }
    }
    assertThat(loopback.counters().protocolErrors()).isEqualTo(30);
    push(connect(), 1, randomBytes(10));
  }

  // Clients that stay silent.

  @Test
  void endsConnectionThatDoesNotSayHello() throws Exception {
    start(new DataTransportConfig(200, 60_000, 180_000, 100, 100));
    try (RawPeer peer = loopback.newRawPeer()) {
      byte[] hello = frame(FrameType.HELLO, 1, Hello.getDefaultInstance());
      if (peer instanceof RawPeer.Tcp) {
        peer.send(Arrays.copyOf(hello, hello.length - 1));
      }
      assertThat(peer.receive()).isNull();
    }
    assertThat(loopback.counters().timeouts()).isEqualTo(1);
  }

  @Test
  void endsConnectionThatStallsInTheMiddleOfABody() throws Exception {
    start(new DataTransportConfig(10_000, 200, 60_000, 100, 100));
    try (RawPeer peer = greetedPeer()) {
      peer.send(frame(FrameType.PUSH, 2, pushOf(1), 400_000), new byte[100_000]);
      await("memory taken", () -> memory.usedSlabs() > 0);

      assertThat(peer.receive()).isNull();
    }
    await("memory freed", () -> memory.usedSlabs() == 0);
    assertThat(loopback.counters().timeouts()).isEqualTo(1);
  }

  @Test
  void endsConnectionThatDoesNotTakeItsReplies() throws Exception {
    start(new DataTransportConfig(10_000, 300, 60_000, 100, 100));
    DataConnection connection = connect();
    push(connection, 1, randomBytes(2_000_000));
    try (RawPeer peer = greetedPeer()) {
      byte[] fetch =
          frame(FrameType.FETCH, 2, Fetch.newBuilder().addRanges(range(1, 0, 2_000_000)).build());
      for (int i = 0; i < 20; i++) {
        peer.send(fetch);
      }
      await("given up", () -> loopback.counters().timeouts() == 1);
      await("fetches closed", () -> service.fetchesInUse() == 0);
    }
  }

  @Test
  void keepsConnectionThatWaitsForMemoryLongerThanASilentOne() throws Exception {
    start(new DataTransportConfig(10_000, 100, 60_000, 100, 100));
    DataConnection connection = connect();
    push(connection, 1, randomBytes(SLABS * SLAB));
    CompletableFuture<PushAck> waits = connection.push(pushOf(2), direct(randomBytes(300_000)));
    await("waits", () -> memory.waiting() == 1);
    // Another connection's silence is noticed meanwhile, so time enough has passed.
    try (RawPeer peer = greetedPeer()) {
      peer.send(
          frame(
              FrameType.FETCH,
              2,
              Fetch.newBuilder()
                  .addRanges(range(1, 0, 2_000_000))
                  .addRanges(range(1, 0, 2_000_000))
                  .build()));
      for (int i = 0; i < 20; i++) {
        peer.send(
            frame(
                FrameType.FETCH, 3, Fetch.newBuilder().addRanges(range(1, 0, 2_000_000)).build()));
      }
      await("given up", () -> loopback.counters().timeouts() == 1);
    }
    assertThat(waits).isNotDone();

    service.clear();

    assertThat(get(waits).getEpoch()).isEqualTo(FakeDataService.EPOCH);
  }

  // Many connections.

  @Test
  void servesHundredsOfConnectionsOnTwoLoops() throws Exception {
    List<DataConnection> connections = new ArrayList<>();
    List<CompletableFuture<DataConnection>> connecting = new ArrayList<>();
    for (int i = 0; i < 220; i++) {
      connecting.add(client.connect(loopback.server(), APPLICATION, "test-" + i));
    }
    for (CompletableFuture<DataConnection> one : connecting) {
      connections.add(one.get(30, TimeUnit.SECONDS));
    }
    assertThat(loopback.counters().openConnections()).isEqualTo(220);
    service.keepBodies(false);
    List<CompletableFuture<PushAck>> acks = new ArrayList<>();
    for (DataConnection connection : connections) {
      acks.add(connection.push(pushOf(1), direct(randomBytes(20_000))));
    }
    for (CompletableFuture<PushAck> ack : acks) {
      assertThat(ack.get(30, TimeUnit.SECONDS).getEpoch()).isEqualTo(FakeDataService.EPOCH);
    }
    connections.forEach(DataConnection::close);
    await("connections gone", () -> loopback.counters().openConnections() == 0);
  }

  @Test
  void turnsAwayConnectionsBeyondTheLimit() throws Exception {
    start(new DataTransportConfig(10_000, 60_000, 180_000, 2, 100));
    DataConnection first = connect();
    connect();

    assertThatThrownBy(this::connect)
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("limit 2")
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.BUSY);
    assertThat(loopback.counters().refusedConnections()).isEqualTo(1);

    first.close();
    await("place free", () -> loopback.counters().openConnections() == 1);
    push(connect(), 1, randomBytes(10));
  }

  @Test
  void turnsAwayConnectionsOfAnAddressBeyondItsLimit() throws Exception {
    start(new DataTransportConfig(10_000, 60_000, 180_000, 100, 100, 2, 100));
    DataConnection first = connect();
    connect();

    assertThatThrownBy(this::connect)
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("too many connections from 127.0.0.1, limit 2")
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.BUSY);
    assertThat(loopback.counters().denied(Denial.PEER)).isEqualTo(1);

    first.close();
    await("place free", () -> loopback.counters().openConnections() == 1);
    push(connect(), 1, randomBytes(10));
  }

  @Test
  void turnsAwayConnectionsOfAnApplicationBeyondItsLimitAndOfNoOther() throws Exception {
    start(new DataTransportConfig(10_000, 60_000, 180_000, 100, 100, 100, 2));
    DataConnection first = connect();
    connect();

    assertThatThrownBy(this::connect)
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("too many connections of application " + APPLICATION + ", limit 2")
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.BUSY);
    assertThat(loopback.counters().denied(Denial.APPLICATION)).isEqualTo(1);
    get(client.connect(loopback.server(), "another-application", "test"));

    first.close();
    await("place free", () -> loopback.counters().openConnections() == 2);
    push(connect(), 1, randomBytes(10));
  }

  // Words of the tests.

  DataConnection connect() throws Exception {
    return get(client.connect(loopback.server(), APPLICATION, "test"));
  }

  RawPeer greetedPeer() throws Exception {
    RawPeer peer = loopback.newRawPeer();
    peer.send(
        frame(
            FrameType.HELLO,
            1,
            Hello.newBuilder()
                .setMinVersion(1)
                .setMaxVersion(1)
                .setApplication(APPLICATION)
                .build()));
    RawPeer.Frame reply = peer.receive();
    assertThat(reply).as("reply to HELLO, %s", peer).isNotNull();
    assertThat(reply.header().type()).isEqualTo(FrameType.HELLO_REPLY);
    return peer;
  }

  private static void assertRefused(RawPeer peer, Status status, String message) throws Exception {
    RawPeer.Frame reply = peer.receive();
    assertThat(reply).isNotNull();
    assertThat(reply.error().getStatus()).isEqualTo(status);
    assertThat(reply.error().getMessage()).contains(message);
    assertThat(peer.receive()).isNull();
  }

  byte[] randomBytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  static ByteBuf direct(byte[] bytes) {
    return PooledByteBufAllocator.DEFAULT.directBuffer(bytes.length).writeBytes(bytes);
  }

  static Push pushOf(int shuffle) {
    return Push.newBuilder()
        .setShuffle(ShuffleId.newBuilder().setApplication(APPLICATION).setShuffle(shuffle))
        .setEpoch(FakeDataService.EPOCH)
        .build();
  }

  static Range range(int partition, long offset, long length) {
    return Range.newBuilder().setPartition(partition).setOffset(offset).setLength(length).build();
  }

  static byte[] frame(FrameType type, long requestId, MessageLite head) {
    return frame(type, requestId, head, 0);
  }

  static byte[] frame(FrameType type, long requestId, MessageLite head, int bodyLength) {
    ByteBuf frame =
        FrameHeads.encode(UnpooledByteBufAllocator.DEFAULT, type, requestId, head, bodyLength);
    try {
      return ByteBufUtil.getBytes(frame);
    } finally {
      frame.release();
    }
  }

  static PushAck push(DataConnection connection, int shuffle, byte[] bytes) throws Exception {
    return get(connection.push(pushOf(shuffle), direct(bytes)));
  }

  static byte[] fetch(DataConnection connection, Range range) throws Exception {
    return fetch(connection, Fetch.newBuilder().addRanges(range).build());
  }

  static byte[] fetch(DataConnection connection, Fetch fetch) throws Exception {
    try (FetchedBody body = get(connection.fetch(fetch))) {
      assertThat(body.head().getEpoch()).isEqualTo(FakeDataService.EPOCH);
      assertThat(body.bytes().isDirect()).isTrue();
      return ByteBufUtil.getBytes(body.bytes());
    }
  }

  /** The result, or the failure itself rather than its wrapper. */
  static <T> T get(CompletableFuture<T> future) throws Exception {
    try {
      return future.get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    }
  }

  static void await(String what, BooleanSupplier condition) {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - deadlineNanos).as("waiting for: %s", what).isNegative();
      LockSupport.parkNanos(200_000);
    }
  }
}
