package io.sluice.transport.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.MessageLite;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.common.net.LeakCheck;
import io.sluice.proto.Fetch;
import io.sluice.proto.Hello;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.Range;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.Status;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.FetchedBody;
import io.sluice.transport.client.TransportConfig;
import io.sluice.transport.protocol.FrameHeads;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.protocol.FrameType;
import io.sluice.transport.server.DataTransportConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Client and server of a data transport. Subclasses test the contract of all transports; each test
 * runs on every variant.
 */
@ParameterizedClass
@EnumSource(TransportVariant.class)
@ExtendWith(LeakCheck.class)
@Timeout(60)
public abstract class TransportEnds {
  static final int SLAB = 64 << 10;
  static final int SLABS = 40;
  static final FrameLimits LIMITS = new FrameLimits(64 << 10, 4 << 20);
  static final String APPLICATION = "app-1";

  private static final int WAIT_SECONDS = 60;

  @Parameter TransportVariant variant;

  @TempDir Path directory;

  final Random random = new Random(20_260_101);
  final List<AutoCloseable> opened = new ArrayList<>();
  FakeMemory memory;
  FakeDataService service;
  Loopback loopback;
  DataTransport client;

  @BeforeEach
  void start() throws IOException {
    memory = new FakeMemory(SLAB, SLABS);
    service = new FakeDataService(memory, LIMITS, directory);
    start(DataTransportConfig.DEFAULT);
  }

  final void start(DataTransportConfig config) throws IOException {
    stopEnds();
    loopback = variant.open(service, config);
    client = newClient(30_000);
  }

  final DataTransport newClient(int requestTimeoutMs) {
    DataTransport transport =
        loopback.newClient(
            new TransportConfig(5_000, requestTimeoutMs, variant.clientIoMode(), 2, LIMITS));
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

  DataConnection connect() throws Exception {
    return get(client.connect(loopback.server(), APPLICATION, "test"));
  }

  RawPeer connectedPeer() throws Exception {
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

  static void assertRefused(RawPeer peer, Status status, String message) throws Exception {
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

  public static Push pushOf(int shuffle) {
    return Push.newBuilder()
        .setShuffle(ShuffleId.newBuilder().setApplication(APPLICATION).setShuffle(shuffle))
        .setEpoch(FakeDataService.EPOCH)
        .build();
  }

  public static Range range(int partition, long offset, long length) {
    return Range.newBuilder().setPartition(partition).setOffset(offset).setLength(length).build();
  }

  public static byte[] frame(FrameType type, long requestId, MessageLite head) {
    return frame(type, requestId, head, 0);
  }

  public static byte[] frame(FrameType type, long requestId, MessageLite head, int bodyLength) {
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

  /** The result of a future; throws the failure without its wrapper. */
  public static <T> T get(CompletableFuture<T> future) throws Exception {
    try {
      return future.get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    }
  }

  public static void await(String what, BooleanSupplier condition) {
    long deadlineNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - deadlineNanos).as("waiting for: %s", what).isNegative();
      LockSupport.parkNanos(200_000);
    }
  }
}
