package io.sluice.transport.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.sluice.proto.Fetch;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PushAck;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.FetchedBody;
import io.sluice.transport.protocol.FrameType;
import io.sluice.transport.server.DataTransportConfig;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A client that sends or requests more than fits into memory waits; other clients are not affected.
 */
class BackPressureTest extends TransportEnds {
  @Test
  void pausesAConnectionWithoutMemoryAndLosesNoData() throws Exception {
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

    // Other connections continue.
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
    assertThat(memory.maxUsedSlabs()).isEqualTo(SLABS);
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
    assertThat(memory.maxUsedSlabs()).isLessThanOrEqualTo(SLABS);
    assertThat(service.pushes()).isEqualTo(120);
  }

  @Test
  void doesNotReadWhileTheClientDoesNotReadReplies() throws Exception {
    DataConnection connection = connect();
    push(connection, 1, randomBytes(1_000_000));
    service.spill();
    try (RawPeer peer = connectedPeer()) {
      byte[] fetch =
          frame(FrameType.FETCH, 2, Fetch.newBuilder().addRanges(range(1, 0, 1_000_000)).build());
      for (int i = 0; i < 200; i++) {
        peer.send(fetch);
      }
      // 200 MB are requested. Some fit into the kernel's buffers and below the server's high mark.
      await("first replies being sent", () -> service.fetchesInUse() > 0);
      assertThat(push(connection, 2, randomBytes(10)).getEpoch()).isEqualTo(FakeDataService.EPOCH);
      assertThat(service.fetches()).isLessThan(60);
    }
    await("replies discarded", () -> service.fetchesInUse() == 0);
  }

  @Test
  void boundsPendingOpens() throws Exception {
    start(new DataTransportConfig(30_000, 60_000, 180_000, 100, 5));
    DataConnection connection = connect();
    List<CompletableFuture<OpenReply>> opens = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      opens.add(connection.open(Open.newBuilder().setMaxWaitMs(20_000).build()));
    }
    await("opens pending", () -> service.pendingOpens() == 5);

    int answered = 0;
    while (answered < 12) {
      int expected = Math.min(5, 12 - answered);
      await("opens pending", () -> service.pendingOpens() == expected);
      service.completePendingOpens();
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
    service.delayFetches(true);
    List<CompletableFuture<FetchedBody>> fetches = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      fetches.add(
          connection.fetch(Fetch.newBuilder().addRanges(range(1, 1000L * i, 1000)).build()));
    }
    int answered = 0;
    while (answered < 12) {
      int expected = Math.min(5, 12 - answered);
      await("fetches pending", () -> service.pendingFetches() == expected);
      service.completePendingFetches();
      answered += expected;
    }
    for (int i = 0; i < 12; i++) {
      try (FetchedBody body = get(fetches.get(i))) {
        assertThat(body.bytes()).isEqualTo(Unpooled.wrappedBuffer(pushed, 1000 * i, 1000));
      }
    }
  }

  @Test
  void continuesWhileAFetchWaits() throws Exception {
    DataConnection connection = connect();
    push(connection, 1, randomBytes(10));
    service.delayFetches(true);
    CompletableFuture<FetchedBody> slow =
        connection.fetch(Fetch.newBuilder().addRanges(range(1, 0, 10)).build());
    await("fetch pending", () -> service.pendingFetches() == 1);
    push(connection, 2, randomBytes(100_000));
    service.delayFetches(false);
    assertThat(fetch(connection, range(2, 0, 10))).hasSize(10);
    assertThat(slow).isNotDone();
    service.completePendingFetches();
    get(slow).close();
  }
}
