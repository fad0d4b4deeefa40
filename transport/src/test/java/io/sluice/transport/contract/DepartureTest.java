package io.sluice.transport.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBufUtil;
import io.sluice.proto.Fetch;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.ServerId;
import io.sluice.transport.client.ConnectionLostException;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.FetchedBody;
import io.sluice.transport.client.TransportConfig;
import io.sluice.transport.protocol.FrameType;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Ends that go away leave nothing behind, and nobody waiting. */
class DepartureTest extends TransportEnds {
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
          loopback.newClient(new TransportConfig(300, 30_000, variant.clientIoMode(), 1, LIMITS));
      opened.add(impatient);

      assertThatThrownBy(() -> get(impatient.connect(server, APPLICATION, "test")))
          .isInstanceOf(ConnectionLostException.class)
          .hasMessageContaining("mute");
    }
  }
}
