package io.sluice.server.service;

import static io.sluice.transport.contract.TransportEnds.await;
import static io.sluice.transport.contract.TransportEnds.frame;
import static io.sluice.transport.contract.TransportEnds.get;
import static io.sluice.transport.contract.TransportEnds.range;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.net.IoMode;
import io.sluice.common.net.LeakCheck;
import io.sluice.proto.Fetch;
import io.sluice.proto.Hello;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PartitionState;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.ShuffleId;
import io.sluice.server.disk.DirectoryConfig;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.memory.MemoryConfig;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.DataTransport;
import io.sluice.transport.client.FetchedBody;
import io.sluice.transport.client.TransportConfig;
import io.sluice.transport.contract.Loopback;
import io.sluice.transport.contract.RawPeer;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.protocol.FrameType;
import io.sluice.transport.server.DataTransportConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The real store behind every transport, with memory for a fraction of the pushed data. */
@ExtendWith(LeakCheck.class)
@Timeout(120)
class StoreOverTransportsTest {
  private static final long EPOCH = 41;
  private static final int ATTEMPTS = 6;
  private static final int PARTITIONS = 24;
  private static final int BLOCKS_PER_PUSH = 8;
  private static final ShuffleId SHUFFLE =
      ShuffleId.newBuilder().setApplication("app-1").setShuffle(2).build();

  @TempDir Path directory;

  private record BlockId(long attempt, int partition, int sequence) {}

  @ParameterizedTest
  @ValueSource(strings = {"NIO", "EPOLL", "IO_URING", "GRPC"})
  void servesEveryBlockAfterSpillsAndDisconnectedClients(String transport) throws Exception {
    Map<BlockId, byte[]> pushed = new HashMap<>();
    try (BlockStore store = openStore()) {
      store.start();
      try (Loopback loopback = open(transport, store);
          DataTransport client =
              loopback.newClient(
                  new TransportConfig(5_000, 60_000, clientMode(transport), 2, limits()))) {
        List<CompletableFuture<PushAck>> acks = new ArrayList<>();
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
          DataConnection connection = connect(client, loopback);
          for (int partition = 0; partition < PARTITIONS; partition++) {
            ByteBuf body = blocks(attempt, partition, pushed);
            acks.add(connection.push(push(), body));
          }
          disconnectInTheMiddleOfAPush(loopback);
        }
        for (CompletableFuture<PushAck> ack : acks) {
          assertThat(ack.get(60, TimeUnit.SECONDS).getEpoch()).isEqualTo(EPOCH);
        }
        assertThat(store.counters().spilledBytes()).isPositive();

        DataConnection reader = connect(client, loopback);
        Map<BlockId, byte[]> read = readAll(reader);
        assertThat(read).hasSameSizeAs(pushed);
        read.forEach((id, payload) -> assertThat(payload).as("%s", id).isEqualTo(pushed.get(id)));

        refusesDamagedBlockAndContinues(reader);

        store.shuffles().removeApplication(SHUFFLE.getApplication());
        await("memory freed", () -> store.memory().usedBytes() == 0);
        await("connections resumed", () -> loopback.counters().pausedConnections() == 0);
      }
      await("memory freed", () -> store.memory().usedBytes() == 0);
    }
  }

  private BlockStore openStore() throws IOException {
    return BlockStore.open(
        BlockStoreConfig.of(
            new MemoryConfig(2 << 20, 64 << 10, 75, 25),
            List.of(new DirectoryConfig(directory, Optional.empty(), 1L << 30, 1)),
            DiskLimits.DEFAULT,
            new ServiceConfig(
                limits(),
                ServiceConfig.DEFAULT.maxOpenWaitMs(),
                ServiceConfig.DEFAULT.maxOpenWaits()),
            256L << 20),
        EPOCH,
        "test",
        System::nanoTime,
        new SecureRandom());
  }

  private static FrameLimits limits() {
    return new FrameLimits(1 << 20, 1 << 20);
  }

  private static Loopback open(String transport, BlockStore store) throws IOException {
    return transport.equals("GRPC")
        ? Loopback.grpc(store.service(), DataTransportConfig.DEFAULT)
        : Loopback.netty(store.service(), DataTransportConfig.DEFAULT, IoMode.valueOf(transport));
  }

  private static IoMode clientMode(String transport) {
    return transport.equals("GRPC") ? IoMode.EPOLL : IoMode.valueOf(transport);
  }

  private static DataConnection connect(DataTransport client, Loopback loopback) throws Exception {
    return get(client.connect(loopback.server(), SHUFFLE.getApplication(), "test"));
  }

  private static Push push() {
    return Push.newBuilder().setShuffle(SHUFFLE).setEpoch(EPOCH).build();
  }

  /** An attempt's blocks for one partition, the last of them LAST. Returns owned. */
  private static ByteBuf blocks(long attempt, int partition, Map<BlockId, byte[]> pushed) {
    Random random = new Random(attempt * 1_000 + partition);
    ByteBuf body = PooledByteBufAllocator.DEFAULT.directBuffer();
    for (int sequence = 0; sequence < BLOCKS_PER_PUSH; sequence++) {
      byte[] payload = new byte[1 + random.nextInt(20_000)];
      random.nextBytes(payload);
      pushed.put(new BlockId(attempt, partition, sequence), payload);
      int at = body.writerIndex();
      body.writeZero(BlockHeader.LENGTH).writeBytes(payload);
      BlockFormat.seal(
          body,
          at,
          new BlockHeader(
              attempt,
              (int) attempt,
              partition,
              sequence,
              1,
              payload.length,
              payload.length,
              BlockCodec.NONE,
              sequence == BLOCKS_PER_PUSH - 1 ? BlockHeader.FLAG_LAST : 0));
    }
    return body;
  }

  /** A client that announces a body, sends half of it and disconnects. */
  private static void disconnectInTheMiddleOfAPush(Loopback loopback) throws Exception {
    try (RawPeer peer = loopback.newRawPeer()) {
      peer.send(
          frame(
              FrameType.HELLO,
              1,
              Hello.newBuilder()
                  .setMinVersion(1)
                  .setMaxVersion(1)
                  .setApplication(SHUFFLE.getApplication())
                  .build()));
      assertThat(peer.receive().header().type()).isEqualTo(FrameType.HELLO_REPLY);
      peer.send(frame(FrameType.PUSH, 2, push(), 300_000), new byte[150_000]);
    }
  }

  private static Map<BlockId, byte[]> readAll(DataConnection reader) throws Exception {
    OpenReply opened =
        get(
            reader.open(
                Open.newBuilder()
                    .setShuffle(SHUFFLE)
                    .setAssignedEpoch(EPOCH)
                    .addAllPartitions(IntStream.range(0, PARTITIONS).boxed().toList())
                    .build()));
    Map<BlockId, byte[]> read = new HashMap<>();
    for (PartitionState partition : opened.getPartitionsList()) {
      ByteBuf log = PooledByteBufAllocator.DEFAULT.directBuffer();
      try {
        // Slices that end in the middle of blocks, because offsets are in bytes.
        while (log.readableBytes() < partition.getLength()) {
          long length = Math.min(77_777, partition.getLength() - log.readableBytes());
          try (FetchedBody slice =
              get(
                  reader.fetch(
                      Fetch.newBuilder()
                          .setShuffle(SHUFFLE)
                          .setEpoch(EPOCH)
                          .addRanges(range(partition.getPartition(), log.readableBytes(), length))
                          .build()))) {
            log.writeBytes(slice.bytes());
          }
        }
        int at = 0;
        while (at < log.writerIndex()) {
          BlockHeader header = BlockFormat.readVerified(log, at, log.writerIndex());
          byte[] payload =
              ByteBufUtil.getBytes(log, at + BlockHeader.LENGTH, header.payloadLength());
          BlockId id = new BlockId(header.mapAttempt(), header.partition(), header.sequence());
          assertThat(read.put(id, payload)).as("%s twice", id).isNull();
          at += header.blockLength();
        }
      } finally {
        log.release();
      }
    }
    return read;
  }

  private static void refusesDamagedBlockAndContinues(DataConnection connection) throws Exception {
    ByteBuf damaged = blocks(99, 0, new HashMap<>());
    damaged.setByte(damaged.writerIndex() - 1, damaged.getByte(damaged.writerIndex() - 1) ^ 1);
    assertThatThrownBy(() -> get(connection.push(push(), damaged)))
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(StatusCode.BLOCK_CORRUPT);
    assertThat(get(connection.push(push(), blocks(99, 0, new HashMap<>()))).getEpoch())
        .isEqualTo(EPOCH);
  }
}
