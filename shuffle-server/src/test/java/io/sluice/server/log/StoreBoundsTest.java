package io.sluice.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.run.RunOrder;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

class StoreBoundsTest {
  private static final ShuffleKey FIRST = new ShuffleKey("app", 1);
  private static final ShuffleKey SECOND = new ShuffleKey("app", 2);
  private static final int HUGE_BYTES = 1000;
  private static final int MAX_METADATA_BYTES = 2000;

  private final ShuffleStore store =
      new ShuffleStore(
          new StoreConfig(
              2, 4, 1000, 100, MAX_METADATA_BYTES, new LogConfig(1 << 20, HUGE_BYTES, 4, 50)));

  @Test
  void limitsMetadataOfAllShuffles() throws SluiceException {
    ShuffleKey last = SECOND;
    push(FIRST, 0, 1, 2, 3);
    assertThat(store.totals().metadataBytes())
        .isEqualTo(LogFootprint.PARTITION_BYTES + 3 * LogFootprint.ATTEMPT_BYTES);
    int partition = 0;
    while (store.totals().metadataBytes() < MAX_METADATA_BYTES) {
      push(last, partition++, 1, 2);
    }
    int partitions = partition;
    assertThatThrownBy(() -> push(last, partitions, 1))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.NO_SPACE))
        .hasMessageContaining(
            "heap limit for metadata of partitions, attempts and runs is reached");
    assertThat(store.totals().attempts()).isEqualTo(5);
    store.removeShuffles("app", List.of(1));
    assertThat(store.totals().attempts()).isEqualTo(2);
    push(last, partition, 1);
    store.close();
    assertThat(store.totals().attempts()).isZero();
    assertThat(store.totals().metadataBytes()).isZero();
  }

  @Test
  void countsAttemptsInProgressAndRunsUntilTheirRemoval() throws SluiceException {
    ByteBuf body = Unpooled.wrappedBuffer(BlockBytes.block(1, 0, 0, 0, false, new byte[] {1}));
    ShuffleLog log = store.findOrCreate(FIRST);
    log.append(body, body.capacity(), headers(body));
    long begun = store.totals().metadataBytes();
    ByteBuf last = Unpooled.wrappedBuffer(BlockBytes.block(1, 0, 0, 1, true, new byte[0]));
    log.append(last, last.capacity(), headers(last));
    long complete = store.totals().metadataBytes();
    assertThat(begun - complete).isEqualTo(LogFootprint.OPEN_ATTEMPT_BYTES);
    SpillBatch batch = log.takeForSpill(1 << 20);
    StoredRun run = new FakeRun(new byte[0]);
    log.completeSpill(batch, run, new RunOrder(1, 0), new long[1]);
    assertThat(store.totals().metadataBytes() - complete).isEqualTo(LogFootprint.EXTENT_BYTES);
    store.close();
    assertThat(store.totals().metadataBytes()).isZero();
  }

  @Test
  void marksShareMapsWhenHeapForMetadataIsShort() throws SluiceException {
    List<OpenSnapshot.Mark> exact = marksOfTinyBlocks(1L << 30);
    List<OpenSnapshot.Mark> shared = marksOfTinyBlocks(8_000);

    assertThat(exact).hasSize(1000).allMatch(mark -> mark.minMapIndex() == mark.maxMapIndex());
    assertThat(shared).hasSizeBetween(50, 600).anyMatch(mark -> mark.length() > 4000);
  }

  /** Marks of 1,000 blocks of different map tasks, some 80 KB together. */
  private static List<OpenSnapshot.Mark> marksOfTinyBlocks(long maxMetadataBytes)
      throws SluiceException {
    ShuffleStore store =
        new ShuffleStore(new StoreConfig(2, 4, 1000, 100, maxMetadataBytes, LogConfig.DEFAULT));
    ShuffleLog log = store.findOrCreate(FIRST);
    for (int map = 0; map < 1000; map++) {
      // One attempt, so that marks are most of the metadata.
      ByteBuf body = Unpooled.wrappedBuffer(BlockBytes.block(1, map, 0, map, false, new byte[16]));
      log.append(body, body.capacity(), headers(body));
    }
    List<OpenSnapshot.Mark> marks =
        log.snapshot(new int[] {0}, true).partitions().get(0).marks().all(10_000);
    store.close();
    return marks;
  }

  @Test
  void aWaitForAnUnwrittenShuffleLeavesNoLog() throws SluiceException {
    for (int shuffle = 0; shuffle < 10; shuffle++) {
      ShuffleKey key = new ShuffleKey("app", shuffle);
      AtomicInteger ended = new AtomicInteger();
      OpenWait wait = wait(ended);
      ShuffleLog log = store.findOrCreate(key);
      assertThat(log.addWait(wait)).isTrue();
      store.dropIfUnused(key);
      assertThat(store.find(key)).as("a wait is pending").isSameAs(log);
      assertThat(log.cancelWait(wait)).isTrue();
      store.dropIfUnused(key);
      assertThat(store.find(key)).isNull();
      assertThat(store.isExpired(key)).isFalse();
    }
    assertThat(store.shuffleCount()).isZero();
    assertThat(store.applications()).isEmpty();
  }

  @Test
  void aPushToADroppedLogIsRefusedAndItsRetryAccepted() throws SluiceException {
    ShuffleLog stale = store.findOrCreate(FIRST);
    store.dropIfUnused(FIRST);
    ByteBuf body = body(0, 1);
    assertThatThrownBy(() -> stale.append(body, body.capacity(), batch(0, 1)))
        .isInstanceOfSatisfying(
            SluiceException.class,
            e -> assertThat(e.code().onPush()).isEqualTo(StatusCode.OnPush.WAIT));
    assertThat(body.refCnt()).isZero();
    assertThat(stale.addWait(wait(new AtomicInteger()))).isFalse();
    push(FIRST, 0, 1);
    store.dropIfUnused(FIRST);
    assertThat(store.find(FIRST).isWritten()).isTrue();
    store.close();
  }

  @Test
  void listsShufflesWithAHugePartition() throws SluiceException {
    push(FIRST, 0, 1, 2);
    push(FIRST, 1, 1, 2);
    ShuffleLog log = store.find(FIRST);
    ByteBuf small = large(3, 0, HUGE_BYTES - 3 * BlockHeader.LENGTH);
    log.append(small, small.capacity(), headers(small));
    assertThat(store.totals().hugeLogs()).as("exactly at the threshold").isEmpty();
    ByteBuf more = large(4, 0, 0);
    assertThat(log.append(more, more.capacity(), headers(more)).fullPartitions())
        .containsExactly(0);
    assertThat(store.totals().hugeLogs()).containsExactly(log);
    store.removeApplication("app");
    assertThat(store.totals().hugeLogs()).isEmpty();
    store.close();
  }

  @Test
  void runsStayAtACloseUnlessOtherServersHaveTheirData() throws SluiceException {
    assertThat(runAfterClose(ShuffleStore::close).discarded).isFalse();
    assertThat(
            runAfterClose(
                    closing -> {
                      closing.deleteRunsAtClose();
                      closing.close();
                    })
                .discarded)
        .isTrue();
  }

  private static FakeRun runAfterClose(Consumer<ShuffleStore> closing) throws SluiceException {
    ShuffleStore store =
        new ShuffleStore(new StoreConfig(2, 4, 1000, 100, MAX_METADATA_BYTES, LogConfig.DEFAULT));
    ShuffleLog log = store.findOrCreate(FIRST);
    ByteBuf body = body(0, 1);
    log.append(body, body.capacity(), batch(0, 1));
    FakeRun run = new FakeRun(new byte[0]);
    log.completeSpill(log.takeForSpill(1 << 20), run, new RunOrder(1, 0), new long[1]);
    closing.accept(store);
    return run;
  }

  private void push(ShuffleKey key, int partition, long... attempts) throws SluiceException {
    ByteBuf body = body(partition, attempts);
    store.findOrCreate(key).append(body, body.capacity(), batch(partition, attempts));
  }

  private static OpenWait wait(AtomicInteger ended) {
    return new OpenWait(
        new int[] {0}, Roaring64NavigableMap.bitmapOf(1), 1000, ended::incrementAndGet);
  }

  private static ByteBuf body(int partition, long... attempts) {
    ByteBuf body = Unpooled.buffer(attempts.length * BlockHeader.LENGTH);
    for (long attempt : attempts) {
      body.writeBytes(BlockBytes.block(attempt, 0, partition, 0, true, new byte[0]));
    }
    return body;
  }

  private static BlockBatch batch(int partition, long... attempts) throws SluiceException {
    ByteBuf body = body(partition, attempts);
    BlockBatch batch = headers(body);
    body.release();
    return batch;
  }

  private static ByteBuf large(long attempt, int partition, int payloadLength) {
    return Unpooled.wrappedBuffer(
        BlockBytes.block(attempt, 0, partition, 0, true, new byte[payloadLength]));
  }

  private static BlockBatch headers(ByteBuf body) throws SluiceException {
    BlockBatch batch = new BlockBatch(4);
    for (int at = 0; at < body.capacity(); ) {
      BlockHeader header = BlockHeader.read(body, at, body.capacity());
      batch.add(header);
      at += header.blockLength();
    }
    return batch;
  }
}
