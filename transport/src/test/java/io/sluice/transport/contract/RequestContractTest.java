package io.sluice.transport.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.netty.buffer.Unpooled;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Fetch;
import io.sluice.proto.Hello;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PushAck;
import io.sluice.proto.Status;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.FetchedBody;
import io.sluice.transport.client.TransportConfig;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.protocol.FrameType;
import io.sluice.transport.server.DataTransportConfig;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Behaviour of a valid connection: handshake, requests and replies. */
class RequestContractTest extends TransportEnds {
  @Test
  void agreesOnVersionEpochAndLimits() throws Exception {
    DataConnection connection = connect();

    assertThat(connection.epoch()).isEqualTo(FakeDataService.EPOCH);
    assertThat(connection.maxBodyLength()).isEqualTo(LIMITS.maxBodyLength());
    assertThat(connection.isOpen()).isTrue();
  }

  @Test
  void reportsWhyHelloIsRefused() {
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
      assertThat(reply.error().getMessage()).contains("7 to 9, server supports 1");
      assertThat(reply.error().getEpoch()).isEqualTo(FakeDataService.EPOCH);
      assertThat(peer.receive()).isNull();
    }
  }

  @Test
  void refusesFirstFrameThatIsNotHello() throws Exception {
    try (RawPeer peer = loopback.newRawPeer()) {
      peer.send(frame(FrameType.OPEN, 1, Open.getDefaultInstance()));

      assertRefused(peer, Status.BAD_MESSAGE, "expected HELLO");
    }
  }

  @Test
  void refusesLargeHeadBeforeHello() throws Exception {
    try (RawPeer peer = loopback.newRawPeer()) {
      peer.send(frame(FrameType.HELLO, 1, Hello.newBuilder().setClient("x".repeat(5_000)).build()));

      if (peer instanceof RawPeer.Grpc) {
        // The message is not received completely, so there is no reply frame.
        assertThat(peer.receive()).isNull();
        assertThat(peer.toString()).contains("RESOURCE_EXHAUSTED").contains("4128");
      } else {
        assertRefused(peer, Status.FRAME_TOO_LARGE, "");
      }
    }
    await("counted", () -> loopback.counters().protocolErrors() == 1);
  }

  @Test
  void refusesFramesThatOnlyServersSend() throws Exception {
    Set<FrameType> servers =
        EnumSet.complementOf(EnumSet.of(FrameType.PUSH, FrameType.OPEN, FrameType.FETCH));
    for (FrameType type : servers) {
      try (RawPeer peer = connectedPeer()) {
        peer.send(frame(type, 3, Hello.getDefaultInstance()));

        assertRefused(peer, Status.BAD_MESSAGE, type.name());
      }
    }
    assertThat(loopback.counters().protocolErrors()).isEqualTo(servers.size());
  }

  /** Over gRPC, such a head has several messages. */
  @Test
  void receivesLongHeads() throws Exception {
    service.close();
    service = new FakeDataService(memory, FrameLimits.DEFAULT, directory);
    start(DataTransportConfig.DEFAULT);
    client =
        loopback.newClient(
            new TransportConfig(5_000, 30_000, variant.clientIoMode(), 1, FrameLimits.DEFAULT));
    opened.add(client);
    DataConnection connection = connect();
    Open open =
        Open.newBuilder()
            .addPartitions(3)
            .setWantedAttempts(ByteString.copyFrom(randomBytes(1_000_000)))
            .build();
    assertThat(get(connection.open(open)).getPartitions(0).getPartition()).isEqualTo(3);

    OpenReply large =
        OpenReply.newBuilder()
            .setEpoch(FakeDataService.EPOCH)
            .addAttemptSets(ByteString.copyFrom(randomBytes(10_000_000)))
            .build();
    CompletableFuture<OpenReply> reply =
        connection.open(Open.newBuilder().setMaxWaitMs(20_000).build());
    await("open pending", () -> service.pendingOpens() == 1);
    service.completePendingOpens(large);
    assertThat(get(reply)).isEqualTo(large);
    await("reply sent", () -> service.requestMemory().usedBytes() == 0);
  }

  /** The client receives replies before a task uses them, so that the server's memory is freed. */
  @Test
  void repliesAreSentBeforeTheyAreUsed() throws Exception {
    DataConnection connection = connect();
    byte[] pushed = randomBytes(1_000_000);
    push(connection, 1, pushed);
    List<CompletableFuture<FetchedBody>> unused = new ArrayList<>();
    for (int round = 0; round < 2; round++) {
      for (int i = 0; i < 8; i++) {
        unused.add(
            connection.fetch(Fetch.newBuilder().addRanges(range(1, 0, pushed.length)).build()));
      }
      await("replies sent", () -> service.fetchesInUse() == 0);
      service.spill();
    }
    for (CompletableFuture<FetchedBody> fetch : unused) {
      try (FetchedBody body = get(fetch)) {
        assertThat(body.bytes()).isEqualTo(Unpooled.wrappedBuffer(pushed));
      }
    }
  }

  @Test
  void returnsBodiesOfEverySizeFromMemoryAndFile() throws Exception {
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
  void acceptsBodyOfExactlyTheLimit() throws Exception {
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
  void handlesPushesOnTheEventLoop() throws Exception {
    push(connect(), 1, randomBytes(SLAB));

    assertThat(service.pushThread()).matches("(sluice-data-io|" + Loopback.LOOPS + ")-\\d+-\\d+");
  }

  @Test
  void passesPushWithoutBlocksToTheService() throws Exception {
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
  void matchesRepliesByIdInAnyOrder() throws Exception {
    DataConnection connection = connect();
    CompletableFuture<OpenReply> waits =
        connection.open(Open.newBuilder().setMaxWaitMs(20_000).build());
    await("open pending", () -> service.pendingOpens() == 1);

    push(connection, 1, randomBytes(10));
    OpenReply atOnce = get(connection.open(Open.newBuilder().addPartitions(1).build()));

    assertThat(atOnce.getPartitions(0).getLength()).isEqualTo(10);
    assertThat(waits).isNotDone();
    service.completePendingOpens();
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
  void unexpectedFailureLeavesConnectionUsable() throws Exception {
    DataConnection connection = connect();
    service.failNextPush(new IllegalStateException("a bug in /secret/file " + "x".repeat(10_000)));

    assertThatThrownBy(() -> push(connection, 1, randomBytes(10)))
        .hasMessageMatching(
            "server [a-z-]+: PUSH failed; the log of the called process has the cause with"
                + " failure=[0-9a-f]{16}")
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.INTERNAL);
    push(connection, 1, randomBytes(10));
  }

  @Test
  void bodyAboveTheMemoryLimitIsRefusedAndDropped() throws Exception {
    DataConnection connection = connect();
    int length = (SLABS + 1) * SLAB;

    assertThatThrownBy(() -> push(connection, 1, randomBytes(length)))
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.FRAME_TOO_LARGE);

    assertThat(memory.maxUsedSlabs()).isZero();
    byte[] bytes = randomBytes(1_000);
    push(connection, 1, bytes);
    assertThat(fetch(connection, range(1, 0, 1_000))).isEqualTo(bytes);
  }

  @Test
  void clientSendsNoBodyAboveTheServersLimit() throws Exception {
    DataConnection connection = connect();

    assertThatThrownBy(() -> push(connection, 1, new byte[LIMITS.maxBodyLength() + 1]))
        .hasMessageContaining("limit of " + LIMITS.maxBodyLength())
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.FRAME_TOO_LARGE);
    assertThatThrownBy(() -> fetch(connection, range(1, 0, LIMITS.maxBodyLength() + 1)))
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.FRAME_TOO_LARGE);
    assertThat(connection.isOpen()).isTrue();
  }
}
