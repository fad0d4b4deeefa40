package io.sluice.server.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.Fetch;
import io.sluice.proto.Hello;
import io.sluice.proto.Open;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PartitionState;
import io.sluice.proto.Presence;
import io.sluice.proto.Push;
import io.sluice.proto.PushAck;
import io.sluice.proto.Range;
import io.sluice.proto.ShuffleId;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.LogConfig;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.SpillBatch;
import io.sluice.server.log.StoreConfig;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryConfig;
import io.sluice.server.observe.ServerCounters;
import io.sluice.server.read.InlineReads;
import io.sluice.transport.protocol.AttemptSets;
import io.sluice.transport.protocol.ConnectionGuard;
import io.sluice.transport.protocol.FrameLimits;
import io.sluice.transport.server.ClientConnection;
import io.sluice.transport.server.FetchedBytes;
import io.sluice.transport.server.RequestMemory;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

class StoreDataServiceTest {
  private static final long EPOCH = 1_795_000_000_000L;
  private static final ClientConnection CONNECTION =
      new ClientConnection("app-1", "test", "loopback");

  private final Random random = new Random(7);
  private final MemoryBudget memory =
      new MemoryBudget(new MemoryConfig(1 << 20, 4096, 75, 25), System::nanoTime);
  private final RequestMemory requestMemory = new RequestMemory(1 << 20);
  private final ShuffleStore store =
      new ShuffleStore(
          new StoreConfig(4, 4, 1000, 60, 1 << 30, new LogConfig(1 << 12, 20_000, 100, 50)));
  private final AtomicBoolean canStore = new AtomicBoolean(true);
  private final ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1);
  private final ServerCounters counters = new ServerCounters();
  private final PushAdmission admission =
      new PushAdmission(
          ServerEpochs.first(EPOCH),
          FrameLimits.DEFAULT,
          memory,
          store,
          canStore::get,
          new OverQuota(),
          counters);
  private final StoreDataService service =
      new StoreDataService(
          ServerEpochs.first(EPOCH),
          ServiceConfig.DEFAULT,
          ConnectionGuard.OPEN,
          admission,
          memory,
          requestMemory,
          store,
          InlineReads.create(scheduler),
          scheduler,
          counters);

  @AfterEach
  void everythingIsReleased() {
    store.close();
    scheduler.shutdownNow();
    assertThat(memory.usedBytes()).isZero();
    assertThat(requestMemory.usedBytes()).isZero();
    assertThat(store.totals().bufferedBytes()).isZero();
    assertThat(store.totals().storedBytes()).isZero();
    memory.close();
  }

  @Test
  void readsPushedBlocks() throws Exception {
    byte[] first = block(1, 0, 3, 0, false, 5000);
    byte[] second = block(1, 0, 3, 1, true, 100);
    byte[] other = block(1, 0, 4, 0, true, 0);
    PushAck ack = push(1, first, second, other);
    assertThat(ack.getEpoch()).isEqualTo(EPOCH);
    assertThat(ack.getMemoryUsedPermille()).isPositive();

    OpenReply reply = open(Open.newBuilder().addPartitions(3).addPartitions(4).addPartitions(5));
    PartitionState three = reply.getPartitions(0);
    assertThat(three.getPresence()).isEqualTo(Presence.PRESENT);
    assertThat(three.getLength()).isEqualTo(first.length + second.length);
    assertThat(reply.getPartitions(1).getLength()).isEqualTo(BlockHeader.LENGTH);
    assertThat(reply.getPartitions(2).getPresence()).isEqualTo(Presence.PARTITION_EMPTY);
    assertThat(reply.getAttemptSetsCount()).isEqualTo(1);
    assertThat(AttemptSets.decode(reply.getAttemptSets(0)).toArray()).containsExactly(1);

    assertThat(fetch(range(3, 0, three.getLength()), range(4, 8, 40), range(3, 10, 20)))
        .isEqualTo(concat(first, second, slice(other, 8, 40), slice(first, 10, 20)));
    assertThat(counters.pushedBlocks()).isEqualTo(3);
    assertThat(counters.fetchedBytes()).isEqualTo(three.getLength() + 60);
    assertThat(counters.fetchedFromMemoryBytes()).isEqualTo(three.getLength() + 60);
  }

  @Test
  void acknowledgementsReportWhetherDataIsBeingWritten() throws Exception {
    assertThat(push(1, block(1, 0, 3, 0, false, 5000)).getSpilling()).isFalse();
    ShuffleLog log = store.logs().iterator().next();
    SpillBatch batch = log.takeForSpill(Long.MAX_VALUE);

    assertThat(push(1, block(1, 0, 3, 1, false, 100)).getSpilling()).isTrue();

    log.abortSpill(batch);
    assertThat(push(1, block(1, 0, 3, 2, true, 100)).getSpilling()).isFalse();
  }

  @Test
  void storesEachBlockOnce() throws Exception {
    byte[] first = block(9, 2, 0, 0, false, 100);
    byte[] second = block(9, 2, 0, 1, false, 200);
    byte[] third = block(9, 2, 0, 2, true, 300);
    push(1, second);
    push(1, first, second, third);
    push(1, first, second, third);
    assertThat(fetch(range(0, 0, 600 + 3 * BlockHeader.LENGTH)))
        .isEqualTo(concat(second, first, third));
    assertThat(counters.duplicateBlocks()).isEqualTo(4);
    OpenReply reply = open(Open.newBuilder().addPartitions(0));
    assertThat(reply.getPartitions(0).getLength()).isEqualTo(600 + 3 * BlockHeader.LENGTH);
    assertThat(AttemptSets.decode(reply.getAttemptSets(0)).toArray()).containsExactly(9);
  }

  @Test
  void anAttemptIsNotCompleteWhileABlockIsMissing() throws Exception {
    push(1, block(9, 2, 0, 0, false, 10), block(9, 2, 0, 2, true, 10));
    OpenReply reply = open(Open.newBuilder().addPartitions(0));
    assertThat(AttemptSets.decode(reply.getAttemptSets(0)).isEmpty()).isTrue();
  }

  @Test
  void refusesAFrameWithOneDamagedBlock() throws Exception {
    byte[] good = block(1, 0, 0, 0, true, 5000);
    byte[] bad = block(1, 0, 1, 0, true, 5000);
    bad[4000] ^= 1;
    assertRefused(StatusCode.BLOCK_CORRUPT, () -> push(1, good, bad));
    assertRefused(StatusCode.BLOCK_CORRUPT, () -> push(1, slice(good, 0, 5000)));
    assertRefused(StatusCode.BLOCK_CORRUPT, () -> push(1, slice(good, 0, 20)));
    assertThat(counters.corruptFrames()).isEqualTo(3);
    assertThat(counters.refusedFrames()).isEqualTo(3);
    assertThat(presence(EPOCH)).isEqualTo(Presence.SHUFFLE_NEVER_WRITTEN);
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void distinguishesKindsOfAbsence() throws Exception {
    assertThat(presence(EPOCH)).isEqualTo(Presence.SHUFFLE_NEVER_WRITTEN);
    assertThat(presence(EPOCH - 1)).isEqualTo(Presence.DATA_LOST);
    assertRefused(StatusCode.NEVER_WRITTEN, () -> fetch(range(0, 0, 1)));
    push(1, block(1, 0, 7, 0, true, 10));
    assertThat(presence(EPOCH)).isEqualTo(Presence.PARTITION_EMPTY);
    assertThat(presence(EPOCH - 1)).isEqualTo(Presence.DATA_LOST);
    assertRefused(StatusCode.OUT_OF_RANGE, () -> fetch(range(0, 0, 1)));
    assertRefused(StatusCode.OUT_OF_RANGE, () -> fetch(range(7, 0, BlockHeader.LENGTH + 11)));
    assertRefused(StatusCode.OUT_OF_RANGE, () -> fetch(range(7, Long.MAX_VALUE, 1)));
    store.removeShuffles("app-1", List.of(1));
    assertThat(presence(EPOCH)).isEqualTo(Presence.SHUFFLE_EXPIRED);
    assertThat(presence(EPOCH - 1)).isEqualTo(Presence.SHUFFLE_EXPIRED);
    assertRefused(StatusCode.EXPIRED, () -> fetch(range(7, 0, 1)));
    assertRefused(StatusCode.EXPIRED, () -> push(1, block(2, 0, 7, 0, true, 10)));
    assertThat(store.shuffleCount()).isZero();
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void dropsTombstonesAboveTheirLimit() throws Exception {
    store.removeShuffles("app-1", List.of(1, 2, 3, 4));
    assertRefused(StatusCode.EXPIRED, () -> push(1, block(1, 0, 0, 0, true, 10)));
    store.removeShuffles("app-1", List.of(5));
    push(1, block(1, 0, 0, 0, true, 10));
    assertRefused(StatusCode.EXPIRED, () -> push(2, block(1, 0, 0, 0, true, 10)));
    assertThat(store.applications()).containsExactly("app-1");
    assertThat(store.removeApplication("app-1")).isEqualTo(1);
    assertThat(store.applications()).isEmpty();
  }

  @Test
  void refusesRequestsForAnotherEpoch() {
    assertRefused(
        StatusCode.STALE_EPOCH,
        () ->
            service.push(
                CONNECTION,
                Push.newBuilder().setShuffle(shuffle(1)).setEpoch(EPOCH - 1).build(),
                body(block(1, 0, 0, 0, true, 10))));
    assertRefused(
        StatusCode.STALE_EPOCH,
        () ->
            InlineReads.await(
                service.fetch(
                    CONNECTION,
                    Fetch.newBuilder()
                        .setShuffle(shuffle(1))
                        .setEpoch(EPOCH - 1)
                        .addRanges(range(0, 0, 1))
                        .build())));
  }

  @Test
  void refusesPushesWhenDrainingOrOutOfSpace() throws Exception {
    Push push = Push.newBuilder().setShuffle(shuffle(1)).setEpoch(EPOCH).build();
    canStore.set(false);
    service.checkPush(CONNECTION, push, 100);
    ByteBuf most = memory.tryAllocate("app-1", 1 << 20);
    assertRefused(StatusCode.NO_SPACE, () -> service.checkPush(CONNECTION, push, 100));
    most.release();
    canStore.set(true);
    assertRefused(
        StatusCode.FRAME_TOO_LARGE, () -> service.checkPush(CONNECTION, push, (1 << 20) + 1));
    admission.stop();
    assertRefused(StatusCode.DRAINING, () -> service.checkPush(CONNECTION, push, 100));
    assertRefused(StatusCode.DRAINING, () -> push(1, block(1, 0, 0, 0, true, 10)));
  }

  @Test
  void refusesInvalidIdentifiers() {
    for (String application : List.of("", "a/b", "a b", "ä", "x".repeat(257))) {
      assertRefused(StatusCode.BAD_REQUEST, () -> service.hello(hello(application)));
    }
    assertRefused(StatusCode.BAD_REQUEST, () -> push(1, block(1, 0, 1 << 24, 0, true, 10)));
    assertRefused(StatusCode.BAD_REQUEST, () -> push(-1, block(1, 0, 0, 0, true, 10)));
    assertRefused(StatusCode.BAD_REQUEST, () -> open(Open.newBuilder()));
    assertRefused(
        StatusCode.BAD_REQUEST, () -> open(Open.newBuilder().addPartitions(2).addPartitions(2)));
    assertRefused(
        StatusCode.BAD_REQUEST,
        () ->
            open(
                Open.newBuilder()
                    .addPartitions(1)
                    .setMaxWaitMs(5)
                    .setWantedPermille(1000)
                    .setWantedAttempts(ByteString.copyFromUtf8("nonsense"))));
    assertRefused(StatusCode.BAD_REQUEST, () -> fetch());
    assertRefused(StatusCode.BAD_REQUEST, () -> fetch(range(0, -1, 5)));
    assertRefused(StatusCode.BAD_REQUEST, () -> fetch(range(0, 0, (64 << 20) + 1)));
    assertRefused(
        StatusCode.DENIED,
        () ->
            service.push(
                new ClientConnection("app-2", "test", "loopback"),
                Push.newBuilder().setShuffle(shuffle(1)).setEpoch(EPOCH).build(),
                body(block(1, 0, 0, 0, true, 10))));
  }

  @Test
  void limitsShufflesAttemptsPartitionsAndExtents() throws Exception {
    for (int shuffle = 0; shuffle < 4; shuffle++) {
      push(shuffle, block(1, 0, 0, 0, true, 10));
    }
    assertRefused(StatusCode.NO_SPACE, () -> push(4, block(1, 0, 0, 0, true, 10)));
    for (int attempt = 0; attempt < 100; attempt++) {
      push(0, block(attempt, 0, 0, 0, true, 10));
    }
    assertRefused(StatusCode.NO_SPACE, () -> push(0, block(100, 0, 0, 0, true, 10)));
    for (int partition = 0; partition < 50; partition++) {
      push(1, block(1, 0, partition, 0, true, 10));
    }
    assertRefused(StatusCode.NO_SPACE, () -> push(1, block(1, 0, 50, 0, true, 10)));
    // 52 partitions are there, and 60 may be in all shuffles.
    byte[][] ten = new byte[10][];
    for (int i = 0; i < ten.length; i++) {
      ten[i] = block(1, 0, i, 0, true, 10);
    }
    assertRefused(StatusCode.NO_SPACE, () -> push(2, ten));
    push(2, java.util.Arrays.copyOf(ten, 5));
    push(1, ten);
    byte[][] many = new byte[1000][];
    for (int i = 0; i < many.length; i++) {
      many[i] = block(i % 100, 0, i % 5, 1 + i / 5, false, 1);
    }
    push(2, many);
    assertRefused(StatusCode.BUSY, () -> push(2, block(1, 0, 0, 1_000, true, 10)));
  }

  @Test
  void reportsFullPartitions() throws Exception {
    assertThat(push(1, block(1, 0, 3, 0, true, 15_000)).getFullPartitionsList()).isEmpty();
    assertThat(
            push(1, block(2, 0, 3, 0, true, 15_000), block(2, 0, 4, 0, true, 1))
                .getFullPartitionsList())
        .containsExactly(3);
  }

  @Test
  void theLogHasOneExtentPerFrameAndPartition() throws Exception {
    byte[][] blocks = new byte[200][];
    for (int i = 0; i < blocks.length; i++) {
      blocks[i] = block(1, 0, i / 100, i % 100, i % 100 == 99, 10);
    }
    push(1, blocks);
    assertThat(store.totals().bufferedExtents()).isEqualTo(2);
    assertThat(store.totals().bufferedBytes()).isEqualTo(memory.usedBytes());
  }

  @Test
  void marksSlicesWithTheirMapIndexes() throws Exception {
    for (int map = 0; map < 10; map++) {
      push(1, block(map, map, 0, 0, true, 2000));
    }
    OpenReply reply = open(Open.newBuilder().addPartitions(0).setWantSliceMarks(true));
    PartitionState state = reply.getPartitions(0);
    assertThat(state.getSliceMarksCount()).isEqualTo(10);
    long offset = 0;
    for (int i = 0; i < 10; i++) {
      assertThat(state.getSliceMarks(i).getOffset()).isEqualTo(offset);
      assertThat(state.getSliceMarks(i).getMinMapIndex()).isEqualTo(i);
      assertThat(state.getSliceMarks(i).getMaxMapIndex()).isEqualTo(i);
      offset += state.getSliceMarks(i).getLength();
    }
    assertThat(offset).isEqualTo(state.getLength());
  }

  @Test
  void answersWithJoinedMarksOfTheRequestedMaps() throws Exception {
    int[] maps = {0, 5, 6, 1, 5};
    for (int attempt = 0; attempt < maps.length; attempt++) {
      push(1, block(attempt, maps[attempt], 0, 0, true, 2000));
    }

    PartitionState state =
        open(Open.newBuilder()
                .addPartitions(0)
                .setWantSliceMarks(true)
                .setFirstMapIndex(5)
                .setEndMapIndex(7))
            .getPartitions(0);

    assertThat(state.getSliceMarksCount()).isEqualTo(2);
    long block = state.getLength() / 5;
    assertThat(state.getSliceMarks(0).getOffset()).isEqualTo(block);
    assertThat(state.getSliceMarks(0).getLength()).isEqualTo(2 * block);
    assertThat(state.getSliceMarks(0).getMaxMapIndex()).isEqualTo(6);
    assertThat(state.getSliceMarks(1).getOffset()).isEqualTo(4 * block);
    assertThat(state.getSliceMarks(1).getLength()).isEqualTo(block);
  }

  @Test
  void refusesAnInvalidMapRange() {
    Open.Builder open =
        Open.newBuilder()
            .addPartitions(0)
            .setWantSliceMarks(true)
            .setFirstMapIndex(7)
            .setEndMapIndex(7);

    assertThatThrownBy(() -> open(open))
        .hasMessageContaining("invalid map range: first_map_index=7 end_map_index=7");
  }

  @Test
  void openWaitsUntilEnoughWantedAttemptsAreComplete() throws Exception {
    push(1, block(5, 0, 0, 0, true, 10));
    CompletableFuture<OpenReply> half = openWaiting(500, 60_000, 5, 6, 7, 8);
    CompletableFuture<OpenReply> all = openWaiting(1000, 60_000, 5, 6, 7, 8);
    assertThat(half).isNotDone();
    push(1, block(6, 1, 0, 0, true, 10), block(99, 3, 1, 0, true, 10));
    assertThat(half).isNotDone();
    push(1, block(7, 1, 1, 0, true, 10), block(8, 3, 1, 0, true, 10));
    OpenReply reply = half.get(30, TimeUnit.SECONDS);
    assertThat(reply.getPartitions(1).getPresence()).isEqualTo(Presence.PRESENT);
    assertThat(all).isNotDone();
    for (long attempt : new long[] {5, 6, 7, 8}) {
      push(1, block(attempt, 1, 0, 0, true, 10), block(attempt, 3, 1, 0, true, 10));
    }
    reply = all.get(30, TimeUnit.SECONDS);
    assertThat(AttemptSets.decode(reply.getAttemptSets(0)).toArray()).contains(5, 6, 7, 8);
  }

  @Test
  void openAnswersImmediatelyWhenAttemptsAreComplete() throws Exception {
    push(1, block(5, 0, 0, 0, true, 10), block(5, 0, 1, 0, true, 10));
    assertThat(openWaiting(1000, 60_000, 5)).isDone();
  }

  @Test
  void openWaitEndsByTimeoutAndByRemoval() throws Exception {
    assertThat(openWaiting(1000, 1, 5).get(30, TimeUnit.SECONDS).getPartitions(0).getPresence())
        .isEqualTo(Presence.SHUFFLE_NEVER_WRITTEN);
    CompletableFuture<OpenReply> waiting = openWaiting(1000, 60_000, 5);
    store.removeApplication("app-1");
    assertThat(waiting.get(30, TimeUnit.SECONDS).getPartitions(0).getPresence())
        .isEqualTo(Presence.SHUFFLE_EXPIRED);
  }

  @Test
  void limitsMemoryOfWaitingOpensPerApplication() throws Exception {
    List<CompletableFuture<OpenReply>> waiting = new ArrayList<>();
    CompletableFuture<OpenReply> next = openWaiting(1000, 60_000, 5, 1L << 40);
    while (!next.isDone()) {
      waiting.add(next);
      assertThat(waiting.size()).isLessThan(1_000);
      next = openWaiting(1000, 60_000, 5, 1L << 40);
    }
    assertThat(waiting.size()).isGreaterThan(100);
    assertThat(next).as("answered, as if it had not asked to wait").isCompleted();
    assertThat(requestMemory.usedBytes()).isLessThan(requestMemory.capacityBytes() / 2);
    assertThat(requestMemory.hasRoom("app-1")).as("for other requests").isTrue();
    assertThat(openWaiting("app-2", 1000, 60_000, 5)).as("of another application").isNotDone();

    store.removeApplication("app-1");
    for (CompletableFuture<OpenReply> open : waiting) {
      open.get(30, TimeUnit.SECONDS);
    }
    store.removeApplication("app-2");
    assertThat(requestMemory.usedBytes()).isZero();
  }

  @Test
  void doesNotDecodeAttemptsWithoutMemory() throws Exception {
    ByteString nonsense = ByteString.copyFrom(new byte[1 << 20]);
    OpenReply reply =
        open(
            Open.newBuilder()
                .addPartitions(0)
                .setMaxWaitMs(60_000)
                .setWantedPermille(1)
                .setWantedAttempts(nonsense));
    assertThat(reply.getPartitions(0).getPresence()).isEqualTo(Presence.SHUFFLE_NEVER_WRITTEN);
  }

  @Test
  void buildsNoReplyForAnApplicationWithUnreadReplies() throws Exception {
    CompletableFuture<OpenReply> waiting = openWaiting(1000, 60_000, 5);
    requestMemory.reserve("app-1", requestMemory.capacityBytes());
    assertRefused(StatusCode.BUSY, () -> open(Open.newBuilder().addPartitions(0)));
    store.removeApplication("app-1");
    assertRefused(StatusCode.BUSY, () -> get(waiting));
    requestMemory.release("app-1", requestMemory.capacityBytes());
    assertThat(presence(EPOCH)).isEqualTo(Presence.SHUFFLE_EXPIRED);
  }

  @Test
  void fetchedBytesStayValidAfterRemoval() throws Exception {
    byte[] block = block(1, 0, 0, 0, true, 9000);
    push(1, block);
    FetchedBytes fetched = fetched(range(0, 0, block.length));
    store.removeApplication("app-1");
    assertThat(memory.usedBytes()).isPositive();
    assertThat(bytes(fetched)).isEqualTo(block);
    fetched.close();
    fetched.close();
    assertThat(memory.usedBytes()).isZero();
  }

  private Presence presence(long assignedEpoch) throws Exception {
    return open(Open.newBuilder().addPartitions(0).setAssignedEpoch(assignedEpoch))
        .getPartitions(0)
        .getPresence();
  }

  private byte[] block(
      long attempt, int map, int partition, int sequence, boolean last, int payloadLength) {
    return BlockBytes.block(
        attempt,
        map,
        partition,
        sequence,
        last,
        BlockBytes.payload(random, last ? payloadLength : Math.max(1, payloadLength)));
  }

  private static Hello hello(String application) {
    return Hello.newBuilder().setApplication(application).build();
  }

  private static ShuffleId shuffle(int number) {
    return ShuffleId.newBuilder().setApplication("app-1").setShuffle(number).build();
  }

  private ByteBuf body(byte[]... blocks) {
    byte[] all = concat(blocks);
    return memory.tryAllocate("app-1", all.length).writeBytes(all);
  }

  private PushAck push(int shuffle, byte[]... blocks) throws SluiceException {
    return service.push(
        CONNECTION,
        Push.newBuilder().setShuffle(shuffle(shuffle)).setEpoch(EPOCH).build(),
        body(blocks));
  }

  private OpenReply open(Open.Builder open) throws Exception {
    Open request =
        open.setShuffle(shuffle(1))
            .setAssignedEpoch(open.getAssignedEpoch() == 0 ? EPOCH : open.getAssignedEpoch())
            .build();
    return get(service.open(CONNECTION, request).toCompletableFuture());
  }

  private CompletableFuture<OpenReply> openWaiting(int permille, int waitMs, long... attempts) {
    return openWaiting("app-1", permille, waitMs, attempts);
  }

  private CompletableFuture<OpenReply> openWaiting(
      String application, int permille, int waitMs, long... attempts) {
    Open request =
        Open.newBuilder()
            .setShuffle(ShuffleId.newBuilder().setApplication(application).setShuffle(1))
            .addPartitions(0)
            .addPartitions(1)
            .setAssignedEpoch(EPOCH)
            .setMaxWaitMs(waitMs)
            .setWantedPermille(permille)
            .setWantedAttempts(AttemptSets.encode(Roaring64NavigableMap.bitmapOf(attempts)))
            .build();
    return service
        .open(new ClientConnection(application, "test", "loopback"), request)
        .toCompletableFuture();
  }

  private FetchedBytes fetched(Range... ranges) throws SluiceException {
    return InlineReads.await(
        service.fetch(
            CONNECTION,
            Fetch.newBuilder()
                .setShuffle(shuffle(1))
                .setEpoch(EPOCH)
                .addAllRanges(List.of(ranges))
                .build()));
  }

  private byte[] fetch(Range... ranges) throws SluiceException {
    try (FetchedBytes fetched = fetched(ranges)) {
      byte[] bytes = bytes(fetched);
      assertThat(bytes).hasSize(fetched.length());
      return bytes;
    }
  }

  private static byte[] bytes(FetchedBytes fetched) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (FetchedBytes.Piece piece : fetched.pieces()) {
      ByteBuf buffer = ((FetchedBytes.MemoryPiece) piece).buffer();
      byte[] bytes = new byte[buffer.readableBytes()];
      buffer.getBytes(buffer.readerIndex(), bytes);
      out.writeBytes(bytes);
    }
    return out.toByteArray();
  }

  private static Range range(int partition, long offset, long length) {
    return Range.newBuilder().setPartition(partition).setOffset(offset).setLength(length).build();
  }

  private static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  private static byte[] slice(byte[] bytes, int offset, int length) {
    return java.util.Arrays.copyOfRange(bytes, offset, offset + length);
  }

  private static void assertRefused(
      StatusCode code, org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(SluiceException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    try {
      return future.get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof SluiceException refused ? refused : e;
    }
  }
}
