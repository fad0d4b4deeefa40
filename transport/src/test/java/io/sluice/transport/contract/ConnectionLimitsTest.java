package io.sluice.transport.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Fetch;
import io.sluice.proto.Hello;
import io.sluice.proto.PushAck;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.TransportConfig;
import io.sluice.transport.protocol.FrameType;
import io.sluice.transport.server.DataTransportConfig;
import io.sluice.transport.server.TransportCounters.Denial;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Timeouts and connection limits. */
class ConnectionLimitsTest extends TransportEnds {
  @Test
  void endsConnectionWithoutHello() throws Exception {
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
    try (RawPeer peer = connectedPeer()) {
      peer.send(frame(FrameType.PUSH, 2, pushOf(1), 400_000), new byte[100_000]);
      await("memory allocated", () -> memory.usedSlabs() > 0);

      assertThat(peer.receive()).isNull();
    }
    await("memory freed", () -> memory.usedSlabs() == 0);
    assertThat(loopback.counters().timeouts()).isEqualTo(1);
  }

  @Test
  void endsConnectionThatDoesNotReadItsReplies() throws Exception {
    start(new DataTransportConfig(10_000, 300, 60_000, 100, 100));
    DataConnection connection = connect();
    push(connection, 1, randomBytes(2_000_000));
    try (RawPeer peer = connectedPeer()) {
      byte[] fetch =
          frame(FrameType.FETCH, 2, Fetch.newBuilder().addRanges(range(1, 0, 2_000_000)).build());
      for (int i = 0; i < 20; i++) {
        peer.send(fetch);
      }
      await("closed by timeout", () -> loopback.counters().timeouts() == 1);
      await("fetches closed", () -> service.fetchesInUse() == 0);
    }
  }

  @Test
  void keepsConnectionThatWaitsForMemory() throws Exception {
    start(new DataTransportConfig(10_000, 1_000, 60_000, 100, 100));
    DataConnection connection = connect();
    push(connection, 1, randomBytes(SLABS * SLAB));
    CompletableFuture<PushAck> waits = connection.push(pushOf(2), direct(randomBytes(300_000)));
    await("waits", () -> memory.waiting() == 1);
    // Another connection is closed by its timeout, so the timeout of this one has passed as well.
    try (RawPeer peer = connectedPeer()) {
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
      await("closed by timeout", () -> loopback.counters().timeouts() == 1);
    }
    assertThat(waits).isNotDone();

    service.clear();

    assertThat(get(waits).getEpoch()).isEqualTo(FakeDataService.EPOCH);
  }

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
    await("connections closed by the server", () -> loopback.counters().openConnections() == 0);
  }

  @Test
  void refusesConnectionsBeyondTheLimit() throws Exception {
    start(new DataTransportConfig(10_000, 60_000, 180_000, 2, 100));
    DataConnection first = connect();
    connect();

    assertThatThrownBy(this::connect)
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("limit=2")
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.BUSY);
    assertThat(loopback.counters().refusedConnections()).isEqualTo(1);

    first.close();
    await("connection closed by the server", () -> loopback.counters().openConnections() == 1);
    push(connect(), 1, randomBytes(10));
  }

  @Test
  void refusesConnectionsOfAnAddressBeyondItsLimit() throws Exception {
    start(new DataTransportConfig(10_000, 60_000, 180_000, 100, 100, 2, 100));
    DataConnection first = connect();
    connect();

    assertThatThrownBy(this::connect)
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("too many connections from 127.0.0.1, limit=2")
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.BUSY);
    assertThat(loopback.counters().denied(Denial.PEER)).isEqualTo(1);

    first.close();
    await("connection closed by the server", () -> loopback.counters().openConnections() == 1);
    push(connect(), 1, randomBytes(10));
  }

  @Test
  void connectionsFromALocalAddressCountForThisAddress() throws Exception {
    start(new DataTransportConfig(10_000, 60_000, 180_000, 100, 100, 1, 100));
    connect();
    TransportConfig config = new TransportConfig(20_000, 60_000, variant.clientIoMode(), 1, LIMITS);
    try (DataTransport other =
        loopback.newClient(config.withLocalAddress(InetAddress.getByName("127.0.0.2")))) {
      get(other.connect(loopback.server(), APPLICATION, "test"));

      assertThatThrownBy(() -> get(other.connect(loopback.server(), APPLICATION, "test")))
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("too many connections from 127.0.0.2, limit=1");
    }
  }

  @Test
  void refusesConnectionsOfAnApplicationBeyondItsLimit() throws Exception {
    start(new DataTransportConfig(10_000, 60_000, 180_000, 100, 100, 100, 2));
    DataConnection first = connect();
    connect();

    assertThatThrownBy(this::connect)
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("too many connections of application " + APPLICATION + ", limit=2")
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.BUSY);
    assertThat(loopback.counters().denied(Denial.APPLICATION)).isEqualTo(1);
    get(client.connect(loopback.server(), "another-application", "test"));

    first.close();
    await("connection closed by the server", () -> loopback.counters().openConnections() == 2);
    push(connect(), 1, randomBytes(10));
  }
}
