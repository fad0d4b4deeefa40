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

/** Disconnects of client and server: all memory is freed and all requests complete. */
class DisconnectTest extends TransportEnds {
  @Test
  void closesFetchThatCompletesAfterADisconnect() throws Exception {
    DataConnection connection = connect();
    push(connection, 1, randomBytes(2_000));
    service.delayFetches(true);
    try (RawPeer peer = connectedPeer()) {
      peer.send(
          frame(FrameType.FETCH, 2, Fetch.newBuilder().addRanges(range(1, 0, 2_000)).build()));
      await("fetch pending", () -> service.pendingFetches() == 1);
    }
    await("connection closed by the server", () -> loopback.counters().openConnections() == 1);
    service.completePendingFetches();
    await("fetch closed", () -> service.fetchesInUse() == 0);
  }

  @Test
  void freesPartialBodyAfterADisconnect() throws Exception {
    for (int received : new int[] {0, 1, 5_000, SLAB, 300_000, 399_999}) {
      try (RawPeer peer = connectedPeer()) {
        peer.send(frame(FrameType.PUSH, 2, pushOf(1), 400_000), new byte[received]);
        await("memory allocated for " + received, () -> memory.usedSlabs() == 7);
      }
      await("memory freed after " + received, () -> memory.usedSlabs() == 0);
    }
    assertThat(service.pushes()).isZero();
  }

  @Test
  void cancelsWaitForMemoryAfterADisconnect() throws Exception {
    DataConnection connection = connect();
    push(connection, 1, randomBytes(SLABS * SLAB));
    for (int i = 0; i < 3; i++) {
      try (RawPeer peer = connectedPeer()) {
        peer.send(frame(FrameType.PUSH, 2, pushOf(1), 100_000), new byte[5_000]);
        await("waits", () -> memory.waiting() == 1);
      }
      service.clear();
      await("memory freed", () -> memory.usedSlabs() == 0);
      await("connection closed by the server", () -> loopback.counters().openConnections() == 1);
      push(connection, 1, randomBytes(SLABS * SLAB));
    }
  }

  @Test
  void closesPartiallySentFetchAfterADisconnect() throws Exception {
    DataConnection connection = connect();
    push(connection, 1, randomBytes(2_000_000));
    for (int round = 0; round < 2; round++) {
      try (RawPeer peer = connectedPeer()) {
        byte[] fetch =
            frame(FrameType.FETCH, 2, Fetch.newBuilder().addRanges(range(1, 0, 2_000_000)).build());
        for (int i = 0; i < 20; i++) {
          peer.send(fetch);
        }
        await("fetch being sent", () -> service.fetchesInUse() > 0);
      }
      await("fetches closed", () -> service.fetchesInUse() == 0);
      service.spill();
    }
  }

  @Test
  void closingTheClientFailsPendingRequests() throws Exception {
    DataConnection connection = connect();
    CompletableFuture<OpenReply> pending =
        connection.open(Open.newBuilder().setMaxWaitMs(20_000).build());
    await("open pending", () -> service.pendingOpens() == 1);

    connection.close();
    connection.close();

    assertThatThrownBy(() -> get(pending)).isInstanceOf(ConnectionLostException.class);
    assertThat(connection.isOpen()).isFalse();
    assertThatThrownBy(() -> push(connection, 1, randomBytes(10)))
        .isInstanceOf(ConnectionLostException.class);
    await("connection closed by the server", () -> loopback.counters().openConnections() == 0);
  }

  @Test
  void fetchCancelledBeforeItsReplyIsFreed() throws Exception {
    DataConnection connection = connect();
    push(connection, 1, randomBytes(1_000_000));
    service.delayFetches(true);
    CompletableFuture<FetchedBody> fetch =
        connection.fetch(Fetch.newBuilder().addRanges(range(1, 0, 1_000_000)).build());
    await("fetch pending", () -> service.pendingFetches() == 1);

    assertThat(fetch.cancel(false)).as("cancelled before it was answered").isTrue();
    service.delayFetches(false);
    service.completePendingFetches();

    // Replies of one connection arrive in order, so the cancelled one has arrived before.
    assertThat(fetch(connection, range(1, 0, 10))).hasSize(10);
  }

  @Test
  void callerClosesFetchCancelledAfterItsReply() throws Exception {
    DataConnection connection = connect();
    byte[] bytes = randomBytes(1_000_000);
    push(connection, 1, bytes);
    CompletableFuture<FetchedBody> fetch =
        connection.fetch(Fetch.newBuilder().addRanges(range(1, 0, 1_000_000)).build());
    await("reply received", fetch::isDone);

    assertThat(fetch.cancel(false)).isFalse();

    try (FetchedBody body = get(fetch)) {
      assertThat(ByteBufUtil.getBytes(body.bytes())).isEqualTo(bytes);
    }
  }

  @Test
  void closingTheClientFreesPartialReplies() throws Exception {
    push(connect(), 1, randomBytes(2_000_000));
    for (int round = 0; round < 20; round++) {
      int before = service.fetches();
      DataConnection connection = connect();
      List<CompletableFuture<FetchedBody>> fetches = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        fetches.add(connection.fetch(Fetch.newBuilder().addRanges(range(1, 0, 2_000_000)).build()));
      }
      // Closes during the first bodies, at a different position in each round.
      await("replies being sent", () -> service.fetches() > before);

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
  void stoppingTheServerFailsPendingRequestsOnce() throws Exception {
    DataConnection connection = connect();
    CompletableFuture<OpenReply> pending =
        connection.open(Open.newBuilder().setMaxWaitMs(20_000).build());
    await("open pending", () -> service.pendingOpens() == 1);

    loopback.close();

    assertThatThrownBy(() -> get(pending)).isInstanceOf(ConnectionLostException.class);
    await("connection closed", () -> !connection.isOpen());
    service.completePendingOpens();
    assertThatThrownBy(() -> get(client.connect(loopback.server(), APPLICATION, "test")))
        .isInstanceOf(ConnectionLostException.class);
  }

  @Test
  void requestTimeoutEndsTheConnection() throws Exception {
    DataTransport shortTimeout = newClient(200);
    DataConnection connection =
        get(shortTimeout.connect(loopback.server(), APPLICATION, "shortTimeout"));
    CompletableFuture<OpenReply> first = connection.open(Open.newBuilder().setMaxWaitMs(1).build());

    assertThatThrownBy(() -> get(first))
        .isInstanceOf(ConnectionLostException.class)
        .hasMessageContaining("request timeout");
    assertThat(connection.isOpen()).isFalse();
  }

  @Test
  void connectFailsWithinItsTimeoutWhenServerIsSilent() throws Exception {
    try (ServerSocket silent = new ServerSocket(0)) {
      ServerId server =
          ServerId.newBuilder()
              .setName("silent")
              .setHost("127.0.0.1")
              .setRpcPort(silent.getLocalPort())
              .setNettyPort(silent.getLocalPort())
              .build();
      DataTransport shortTimeout =
          loopback.newClient(new TransportConfig(300, 30_000, variant.clientIoMode(), 1, LIMITS));
      opened.add(shortTimeout);

      assertThatThrownBy(() -> get(shortTimeout.connect(server, APPLICATION, "test")))
          .isInstanceOf(ConnectionLostException.class)
          .hasMessageContaining("silent");
    }
  }
}
