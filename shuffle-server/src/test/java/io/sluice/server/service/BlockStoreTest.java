package io.sluice.server.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.run.RunReader;
import io.sluice.proto.Fetch;
import io.sluice.proto.LostStretch;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.Presence;
import io.sluice.proto.Push;
import io.sluice.proto.Range;
import io.sluice.proto.ReportedBlock;
import io.sluice.proto.ShuffleId;
import io.sluice.server.background.SpillConfig;
import io.sluice.server.disk.DirectoryConfig;
import io.sluice.server.disk.DirectoryInUseException;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.StorageKind;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.LocatedExtent;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.memory.MemoryConfig;
import io.sluice.server.read.InlineReads;
import io.sluice.transport.protocol.AttemptSets;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.FetchedBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole store, with real threads and directories, and much less memory than data. */
class BlockStoreTest {
  private static final long EPOCH = 1_795_000_000_000L;
  private static final int SLAB = 4096;
  private static final long DEADLINE_NANOS = TimeUnit.SECONDS.toNanos(60);

  @TempDir Path base;

  @Test
  void servesMoreThanFitsInMemoryWithConcurrentClients() throws Exception {
    try (BlockStore store = open(Long.MAX_VALUE)) {
      store.start();
      ExecutorService clients = Executors.newFixedThreadPool(4);
      try {
        List<Future<Integer>> pushing = new ArrayList<>();
        for (int client = 0; client < 4; client++) {
          int first = client;
          pushing.add(clients.submit(() -> pushAttempts(store, first * 50, 50)));
        }
        int pushed = 0;
        for (Future<Integer> each : pushing) {
          pushed += each.get(60, TimeUnit.SECONDS);
        }
        assertThat(store.memory().usedBytes()).isLessThanOrEqualTo(1 << 20);
        assertThat(store.counters().pushedBytes()).isEqualTo(pushed);
        assertThat(store.counters().spilledBytes()).isGreaterThan(pushed - (1 << 20));
        List<Callable<Void>> reads = new ArrayList<>();
        for (int partition = 0; partition < 8; partition++) {
          int index = partition;
          reads.add(
              () -> {
                checkPartition(store, index, 200);
                return null;
              });
        }
        for (Future<Void> read : clients.invokeAll(reads, 60, TimeUnit.SECONDS)) {
          read.get();
        }
      } finally {
        clients.shutdownNow();
      }
      assertThat(runsIn("ssd") + runsIn("hdd")).isEqualTo(store.runFileCount());
      assertThat(runsIn("ssd")).as("SSDs come first").isPositive();
      assertThat(store.shuffles().removeApplication("app")).isEqualTo(1);
      assertThat(store.memory().usedBytes()).isZero();
      await(() -> store.runFileCount() == 0);
      assertThat(runsIn("ssd") + runsIn("hdd")).isZero();
    }
  }

  @Test
  void flushesMemoryToVerifiableRuns() throws Exception {
    try (BlockStore store = open(Long.MAX_VALUE)) {
      store.start();
      pushAttempts(store, 0, 5);
      assertThat(store.memory().usedBytes()).isPositive();
      assertThat(store.drain(60_000)).isTrue();
      assertThat(store.memory().usedBytes()).isZero();
      assertThatThrownBy(() -> pushAttempts(store, 5, 1))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.DRAINING));
      checkPartition(store, 0, 5);
      assertThat(store.service().open(connection(), openRequest(0).build()).toCompletableFuture())
          .isCompleted();
      List<Path> runs = new ArrayList<>();
      for (String directory : List.of("ssd", "hdd")) {
        try (var files = Files.list(base.resolve(directory).resolve("runs"))) {
          files.forEach(runs::add);
        }
      }
      assertThat(runs).isNotEmpty();
      for (Path run : runs) {
        try (RunReader reader = RunReader.open(run)) {
          reader.verify();
          assertThat(reader.header().application()).isEqualTo("app");
          assertThat(reader.header().order().epoch()).isEqualTo(EPOCH);
          assertThat(run.getFileName()).hasToString(reader.header().runId() + ".run");
        }
      }
    }
  }

  @Test
  void losesABlockThatAReaderReportsIfItIsDamagedInItsFile() throws Exception {
    try (BlockStore store = open(Long.MAX_VALUE)) {
      store.start();
      pushAttempts(store, 0, 2);
      assertThat(store.drain(60_000)).isTrue();
      int first = block(0, 3, 0).length;
      int second = block(0, 3, 1).length;
      Fetch.Builder fetch = fetchRequest(3, first, second);
      fetch.addDamaged(ReportedBlock.newBuilder().setPartition(3).setOffset(first));
      InlineReads.await(store.service().fetch(connection(), fetch.build())).close();
      assertThat(store.counters().unconfirmedReports()).isEqualTo(1);

      LocatedExtent extent = store.shuffles().find(new ShuffleKey("app", 7)).located(3).get(0);
      flip(Path.of(extent.run().toString()), extent.fileOffset() + first + 60);

      assertThatThrownBy(
              () -> InlineReads.await(store.service().fetch(connection(), fetch.build())))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.LOST));
      OpenReply reply =
          store
              .service()
              .open(connection(), openRequest(3).build())
              .toCompletableFuture()
              .get(60, TimeUnit.SECONDS);
      assertThat(reply.getPartitions(0).getLostList())
          .containsExactly(LostStretch.newBuilder().setOffset(first).setLength(second).build());
      assertThat(AttemptSets.decode(reply.getAttemptSets(0)).toArray()).containsExactly(1);
      ByteBuffer before = ByteBuffer.allocate(first);
      read(store, 3, before, first);
      assertThat(before.array()).isEqualTo(block(0, 3, 0));
    }
  }

  @Test
  void refusesMoreReportsThanTheLimit() throws Exception {
    try (BlockStore store = open(Long.MAX_VALUE)) {
      store.start();
      pushAttempts(store, 0, 1);
      Fetch.Builder fetch = fetchRequest(3, 0, 1);
      for (int i = 0; i <= FrameLimits.MAX_REPORTED_BLOCKS; i++) {
        fetch.addDamaged(ReportedBlock.newBuilder().setPartition(3));
      }
      assertThatThrownBy(
              () -> InlineReads.await(store.service().fetch(connection(), fetch.build())))
          .isInstanceOfSatisfying(
              SluiceException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.BAD_REQUEST));
    }
  }

  private static Fetch.Builder fetchRequest(int partition, long offset, int length) {
    return Fetch.newBuilder()
        .setShuffle(push().getShuffle())
        .setEpoch(EPOCH)
        .addRanges(Range.newBuilder().setPartition(partition).setOffset(offset).setLength(length));
  }

  private static void flip(Path file, long offset) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[(int) offset] ^= 1;
    Files.write(file, bytes);
  }

  @Test
  void refusesPushesWhenFullAndAcceptsThemAfterRemoval() throws Exception {
    try (BlockStore store = open(300_000)) {
      store.start();
      Push head = push();
      int[] attempt = {0};
      await(
          () -> {
            try {
              store.service().checkPush(connection(), head, SLAB);
              pushOnce(store, attempt[0]++);
              return false;
            } catch (SluiceException e) {
              return e.code() == StatusCode.NO_SPACE;
            } catch (IOException e) {
              return false;
            }
          });
      assertThat(store.canStore()).isFalse();
      store.shuffles().removeApplication("app");
      await(store::canStore);
      await(
          () -> {
            try {
              store
                  .service()
                  .checkPush(
                      connection(),
                      head.toBuilder()
                          .setShuffle(ShuffleId.newBuilder().setApplication("app").setShuffle(8))
                          .build(),
                      SLAB);
              return true;
            } catch (SluiceException e) {
              return false;
            }
          });
    }
  }

  @Test
  void refusesADirectoryInUseAndDeletesLeftoverFiles() throws Exception {
    try (BlockStore store = open(Long.MAX_VALUE)) {
      assertThat(store.runFileCount()).isZero();
      assertThatThrownBy(() -> open(Long.MAX_VALUE))
          .isInstanceOf(DirectoryInUseException.class)
          .hasMessageContaining("test-owner");
    }
    open(Long.MAX_VALUE).close();
  }

  /** Pushes attempts, each with 3 blocks for every one of 8 partitions; returns the bytes. */
  private static int pushAttempts(BlockStore store, int first, int count) throws Exception {
    int bytes = 0;
    for (int attempt = first; attempt < first + count; attempt++) {
      for (int sequence = 0; sequence < 3; sequence++) {
        byte[][] blocks = new byte[8][];
        for (int partition = 0; partition < 8; partition++) {
          blocks[partition] = block(attempt, partition, sequence);
          bytes += blocks[partition].length;
        }
        push(store, blocks);
      }
    }
    return bytes;
  }

  private static void pushOnce(BlockStore store, int attempt) throws IOException {
    byte[] bytes = block(attempt, 0, 0);
    ByteBuf body = store.memory().tryAllocate("app", bytes.length);
    if (body != null) {
      store.service().push(connection(), push(), body.writeBytes(bytes));
    }
  }

  private static void push(BlockStore store, byte[]... blocks) throws Exception {
    int length = 0;
    for (byte[] block : blocks) {
      length += block.length;
    }
    ByteBuf body = allocate(store, length);
    for (byte[] block : blocks) {
      body.writeBytes(block);
    }
    store.service().push(connection(), push(), body);
  }

  /** Allocates like a transport: waits for the callback, then retries. */
  private static ByteBuf allocate(BlockStore store, int length) throws Exception {
    ByteBuf body = store.memory().tryAllocate("app", length);
    while (body == null) {
      CompletableFuture<Void> called = new CompletableFuture<>();
      store.memory().whenAvailable("app", length, () -> called.complete(null));
      called.get(60, TimeUnit.SECONDS);
      body = store.memory().tryAllocate("app", length);
    }
    return body;
  }

  private static byte[] block(int attempt, int partition, int sequence) {
    Random random = new Random(attempt * 1000L + partition * 10L + sequence);
    return BlockBytes.block(
        attempt,
        attempt,
        partition,
        sequence,
        sequence == 2,
        BlockBytes.payload(random, 1 + random.nextInt(6000)));
  }

  private static void checkPartition(BlockStore store, int partition, int attempts)
      throws Exception {
    OpenReply reply =
        store
            .service()
            .open(connection(), openRequest(partition).build())
            .toCompletableFuture()
            .get(60, TimeUnit.SECONDS);
    assertThat(reply.getPartitions(0).getPresence()).isEqualTo(Presence.PRESENT);
    assertThat(AttemptSets.decode(reply.getAttemptSets(0)).getLongCardinality())
        .isEqualTo(attempts);
    long length = reply.getPartitions(0).getLength();
    ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(length));
    Random random = new Random(partition);
    while (all.hasRemaining()) {
      int part = Math.min(all.remaining(), 1 + random.nextInt(100_000));
      read(store, partition, all, part);
    }
    all.flip();
    Set<String> seen = new HashSet<>();
    while (all.hasRemaining()) {
      int start = all.position();
      all.order(java.nio.ByteOrder.LITTLE_ENDIAN);
      int attempt = (int) all.getLong(start + 8);
      int sequence = all.getInt(start + 24);
      byte[] expected = block(attempt, partition, sequence);
      byte[] found = new byte[expected.length];
      all.get(found);
      assertThat(found).isEqualTo(expected);
      assertThat(seen.add(attempt + "/" + sequence)).isTrue();
    }
    assertThat(seen).hasSize(attempts * 3);
  }

  private static void read(BlockStore store, int partition, ByteBuffer all, int length)
      throws IOException {
    Fetch fetch = fetchRequest(partition, all.position(), length).build();
    try (FetchedBytes fetched = InlineReads.await(store.service().fetch(connection(), fetch))) {
      for (FetchedBytes.Piece piece : fetched.pieces()) {
        ByteBuffer target = all.slice(all.position(), piece.length());
        if (piece instanceof FetchedBytes.MemoryPiece memory) {
          target.put(memory.buffer().nioBuffer());
        } else {
          FetchedBytes.FilePiece file = (FetchedBytes.FilePiece) piece;
          while (target.hasRemaining()) {
            file.channel().read(target, file.position() + target.position());
          }
        }
        all.position(all.position() + piece.length());
      }
    }
  }

  private int runsIn(String directory) throws IOException {
    try (var files = Files.list(base.resolve(directory).resolve("runs"))) {
      return (int) files.filter(file -> file.toString().endsWith(".run")).count();
    }
  }

  private BlockStore open(long capacityBytes) throws IOException {
    long capacity = capacityBytes == Long.MAX_VALUE ? 1L << 30 : capacityBytes;
    return BlockStore.open(
        new BlockStoreConfig(
            new MemoryConfig(1 << 20, SLAB, 75, 25),
            StoreConfig.DEFAULT,
            SpillConfig.forCapacity(1 << 20, 1 << 20),
            List.of(
                new DirectoryConfig(base.resolve("hdd"), Optional.of(StorageKind.HDD), capacity, 1),
                new DirectoryConfig(
                    base.resolve("ssd"), Optional.of(StorageKind.SSD), capacity, 1)),
            DiskLimits.DEFAULT,
            ServiceConfig.DEFAULT,
            4),
        EPOCH,
        "test-owner",
        System::nanoTime,
        new SynchronizedRandom(new SplittableRandom(5)));
  }

  private static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("deadline").isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  private static ClientConnection connection() {
    return new ClientConnection("app", "test", "loopback");
  }

  private static Push push() {
    return Push.newBuilder()
        .setShuffle(ShuffleId.newBuilder().setApplication("app").setShuffle(7))
        .setEpoch(EPOCH)
        .build();
  }

  private static Open.Builder openRequest(int partition) {
    return Open.newBuilder()
        .setShuffle(push().getShuffle())
        .setAssignedEpoch(EPOCH)
        .addPartitions(partition);
  }

  private record SynchronizedRandom(SplittableRandom random)
      implements java.util.random.RandomGenerator {
    @Override
    public synchronized long nextLong() {
      return random.nextLong();
    }
  }
}
