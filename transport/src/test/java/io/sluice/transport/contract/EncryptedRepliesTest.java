package io.sluice.transport.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.common.net.IoMode;
import io.sluice.common.net.LeakCheck;
import io.sluice.proto.Fetch;
import io.sluice.proto.Hello;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.FetchedBody;
import io.sluice.transport.client.TransportConfig;
import io.sluice.transport.protocol.FrameType;
import io.sluice.transport.server.DataTransportConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Replies over TLS, which are copied before they are encrypted. */
@ParameterizedClass
@ValueSource(strings = {"NETTY", "GRPC"})
@ExtendWith(LeakCheck.class)
@Timeout(120)
class EncryptedRepliesTest {
  private static final int SLAB = 64 << 10;
  private static final int BODY = 3_000_000;

  @Parameter String transport;

  @TempDir Path directory;

  private final Random random = new Random(11);
  private final FakeMemory memory = new FakeMemory(SLAB, 100);
  private FakeDataService service;
  private Loopback loopback;
  private DataTransport client;

  @BeforeEach
  void start() throws Exception {
    service = new FakeDataService(memory, TransportEnds.LIMITS, directory);
    LoopbackTls tls = LoopbackTls.in(directory);
    loopback =
        transport.equals("GRPC")
            ? Loopback.grpc(service, DataTransportConfig.DEFAULT, tls)
            : Loopback.netty(service, DataTransportConfig.DEFAULT, IoMode.EPOLL, tls);
    client =
        loopback.newClient(
            new TransportConfig(20_000, 60_000, IoMode.EPOLL, 1, TransportEnds.LIMITS));
  }

  @AfterEach
  void stop() {
    client.close();
    loopback.close();
    service.close();
    TransportEnds.await("fetches closed", () -> service.fetchesInUse() == 0);
    assertThat(service.requestMemory().usedBytes()).isZero();
  }

  private DataConnection connect() throws Exception {
    return TransportEnds.get(client.connect(loopback.server(), TransportEnds.APPLICATION, "test"));
  }

  private byte[] push(DataConnection connection, int partition, int length) throws Exception {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    TransportEnds.push(connection, partition, bytes);
    return bytes;
  }

  @Test
  void returnBodiesOfEverySizeFromMemoryAndFile() throws Exception {
    DataConnection connection = connect();
    int[] lengths = {1, 2_047, 16_384, 16_385, 131_071, 131_072, 131_073, 262_145, BODY};
    List<byte[]> pushed = new ArrayList<>();
    Fetch.Builder all = Fetch.newBuilder();
    byte[] expected = new byte[0];
    for (int partition = 0; partition < lengths.length; partition++) {
      pushed.add(push(connection, partition, lengths[partition]));
      all.addRanges(TransportEnds.range(partition, 0, lengths[partition]));
      int before = expected.length;
      expected = java.util.Arrays.copyOf(expected, before + lengths[partition]);
      System.arraycopy(pushed.get(partition), 0, expected, before, lengths[partition]);
    }
    for (int round = 0; round < 2; round++) {
      for (int partition = 0; partition < lengths.length; partition++) {
        assertThat(
                TransportEnds.fetch(
                    connection, TransportEnds.range(partition, 0, lengths[partition])))
            .isEqualTo(pushed.get(partition));
      }
      assertThat(TransportEnds.fetch(connection, all.build())).isEqualTo(expected);
      service.spill();
    }
    TransportEnds.await("replies sent", () -> service.fetchesInUse() == 0);
  }

  @Test
  void manyConcurrentFetchesComplete() throws Exception {
    DataConnection connection = connect();
    byte[] pushed = push(connection, 1, BODY);
    service.spill();
    List<CompletableFuture<FetchedBody>> fetches = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      fetches.add(
          connection.fetch(Fetch.newBuilder().addRanges(TransportEnds.range(1, 0, BODY)).build()));
    }
    for (CompletableFuture<FetchedBody> fetch : fetches) {
      try (FetchedBody body = TransportEnds.get(fetch)) {
        assertThat(body.bytes()).isEqualTo(Unpooled.wrappedBuffer(pushed));
      }
    }
    TransportEnds.await("replies sent", () -> service.fetchesInUse() == 0);
  }

  /** Replies to a client that does not read are not copied. */
  @Test
  void useLittleMemoryWhileTheClientDoesNotRead() throws Exception {
    DataConnection connection = connect();
    push(connection, 1, BODY);
    service.spill();
    int peers = 8;
    List<RawPeer> stuck = new ArrayList<>();
    long before = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
    try {
      for (int i = 0; i < peers; i++) {
        RawPeer peer = loopback.newRawPeer();
        stuck.add(peer);
        peer.send(
            TransportEnds.frame(
                FrameType.HELLO,
                1,
                Hello.newBuilder()
                    .setMinVersion(1)
                    .setMaxVersion(1)
                    .setApplication(TransportEnds.APPLICATION)
                    .build()));
        assertThat(peer.receive()).isNotNull();
        for (int fetch = 0; fetch < 10; fetch++) {
          peer.send(
              TransportEnds.frame(
                  FrameType.FETCH,
                  2 + fetch,
                  Fetch.newBuilder().addRanges(TransportEnds.range(1, 0, BODY)).build()));
        }
      }
      TransportEnds.await("replies being sent", () -> service.fetchesInUse() >= peers);
      // Other connections are served.
      for (int i = 0; i < 5; i++) {
        assertThat(TransportEnds.fetch(connection, TransportEnds.range(1, 0, BODY))).hasSize(BODY);
      }
      // Allocated chunks of the pool, not bytes in use.
      assertThat(PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory() - before)
          .isLessThan((3L * peers) << 20);
    } finally {
      stuck.forEach(RawPeer::close);
    }
    TransportEnds.await("replies discarded", () -> service.fetchesInUse() == 0);
  }
}
