package io.sluice.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BlockHeader;
import io.sluice.common.run.DamagedBlock;
import io.sluice.common.run.RunBlock;
import io.sluice.common.run.RunOrder;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

class LogLossesTest {
  private static final int PARTITION = 3;
  private static final long ATTEMPT = 7;
  private static final long OTHER_ATTEMPT = 8;
  private static final int BLOCK_BYTES = 50;

  private final LogTotals totals = new LogTotals(1 << 20);
  private final LogState logState = new LogState(new ShuffleKey("app", 1), totals);
  private final LogLosses losses = new LogLosses(logState, totals);
  private final FakeRun earlier = new FakeRun(new byte[0]);
  private final FakeRun later = new FakeRun(new byte[0]);

  /** A log that has the later run, and whose partition has 100 bytes in a run. */
  private PartitionLog partitionIn(StoredRun run) {
    logState.state = LogState.State.LIVE;
    logState.runs.add(new RunTable.Entry(later, new RunOrder(1, 0), 0, 0));
    PartitionLog partition = logState.findOrAdd(PARTITION);
    partition.extents().append(new Extent.InFile(run, 0, 2 * BLOCK_BYTES, 0));
    return partition;
  }

  @Test
  void movesExtentsToARun() {
    PartitionLog partition = partitionIn(earlier);

    losses.moveTo(later, 50, PARTITION, 0, 100);

    assertThat(partition.located()).containsExactly(new LocatedExtent(later, 50, 0, 100));
    assertThat(partition.lost()).isEmpty();
  }

  @Test
  void extentsAreLostIfTheirRunWasLostBeforeTheyMoved() {
    PartitionLog partition = partitionIn(earlier);
    losses.lose(Set.of(later));

    losses.moveTo(later, 50, PARTITION, 0, 100);

    assertThat(partition.located()).isEmpty();
    assertThat(partition.lost()).containsExactly(new OpenSnapshot.Stretch(0, 100));
  }

  private static RunBlock block(long attempt) {
    return new RunBlock(attempt, 0, 0, BLOCK_BYTES, BlockHeader.FLAG_LAST);
  }

  /** A damaged block; a log does not use what the problem was. */
  private static DamagedBlock damaged(int partition, long fileOffset, long attempt) {
    return new DamagedBlock(partition, fileOffset, block(attempt), null);
  }

  /** A log whose partition has one block each of two attempts in the later run, from offset 0. */
  private PartitionLog partitionWithTwoBlocks() {
    PartitionLog partition = partitionIn(later);
    List<RunBlock> blocks = List.of(block(ATTEMPT), block(OTHER_ATTEMPT));
    assertThat(losses.recount(later, PARTITION, blocks)).isTrue();
    return partition;
  }

  private List<Long> completeAttempts(PartitionLog partition) {
    return Stream.of(ATTEMPT, OTHER_ATTEMPT)
        .filter(
            attempt -> partition.attempts().complete().contains(logState.attempts.find(attempt)))
        .toList();
  }

  @Test
  void aDamagedBlockIsLostWithItsAttemptOnly() {
    PartitionLog partition = partitionWithTwoBlocks();
    assertThat(completeAttempts(partition)).containsExactly(ATTEMPT, OTHER_ATTEMPT);
    assertThat(totals.anyLost()).isFalse();
    final long before = totals.metadataBytes();
    DamagedBlock block = damaged(PARTITION, BLOCK_BYTES, OTHER_ATTEMPT);

    assertThat(
            losses.loseBlocks(
                later, List.of(block, damaged(PARTITION + 1, BLOCK_BYTES, OTHER_ATTEMPT))))
        .containsExactly(block);

    assertThat(partition.lost())
        .containsExactly(new OpenSnapshot.Stretch(BLOCK_BYTES, BLOCK_BYTES));
    assertThat(partition.located()).containsExactly(new LocatedExtent(later, 0, 0, BLOCK_BYTES));
    assertThat(completeAttempts(partition)).containsExactly(ATTEMPT);
    assertThat(logState.runs.find(later).isMergeable()).as("mergeable").isFalse();
    assertThat(totals.anyLost()).isTrue();
    assertThat(totals.metadataBytes()).isEqualTo(before + LogFootprint.EXTENT_BYTES);
    assertThat(losses.loseBlocks(later, List.of(block))).as("again").isEmpty();
    assertThat(totals.metadataBytes()).isEqualTo(before + LogFootprint.EXTENT_BYTES);
  }

  @Test
  void aDamagedBlockOfAnAttemptInProgressFreesItsMetadata() {
    PartitionLog partition = partitionWithTwoBlocks();
    losses.recount(later, PARTITION, List.of(new RunBlock(9, 0, 0, BLOCK_BYTES, 0)));
    final long before = totals.metadataBytes();

    losses.loseBlocks(later, List.of(damaged(PARTITION, 0, 9)));

    assertThat(totals.metadataBytes())
        .isEqualTo(before + LogFootprint.EXTENT_BYTES - LogFootprint.OPEN_ATTEMPT_BYTES);
    assertThat(completeAttempts(partition)).containsExactly(ATTEMPT, OTHER_ATTEMPT);
  }

  @Test
  void nothingIsLostOfAnUnknownRunOrARemovedShuffle() {
    PartitionLog partition = partitionWithTwoBlocks();
    List<DamagedBlock> blocks = List.of(damaged(PARTITION, 0, ATTEMPT));
    assertThat(losses.loseBlocks(earlier, blocks)).isEmpty();
    assertThat(losses.recount(earlier, PARTITION, List.of())).isFalse();

    logState.state = LogState.State.EXPIRED;
    assertThat(losses.loseBlocks(later, blocks)).isEmpty();
    assertThat(losses.recount(later, PARTITION, List.of())).isFalse();
    assertThat(losses.lose(Set.of(later))).isEmpty();
    assertThat(partition.lost()).isEmpty();
    assertThat(totals.anyLost()).isFalse();
    assertThat(later.discarded).as("discarded").isFalse();
  }

  @Test
  void aLostRunFreesTheMetadataOfAttemptsInProgress() {
    PartitionLog partition = partitionWithTwoBlocks();
    losses.recount(later, PARTITION, List.of(new RunBlock(9, 0, 0, BLOCK_BYTES, 0)));
    final long before = totals.metadataBytes();

    assertThat(losses.lose(Set.of(later))).containsExactly(PARTITION);

    assertThat(totals.metadataBytes()).isEqualTo(before - LogFootprint.OPEN_ATTEMPT_BYTES);
    assertThat(completeAttempts(partition)).isEmpty();
    assertThat(logState.runs.count()).isZero();
    assertThat(totals.anyLost()).isTrue();
    assertThat(later.discarded).as("discarded").isTrue();
  }

  @Test
  void recountedBlocksEndWaits() {
    PartitionLog partition = partitionWithTwoBlocks();
    losses.loseBlocks(later, List.of(damaged(PARTITION, 0, ATTEMPT)));
    int[] ended = new int[1];
    OpenWait wait =
        new OpenWait(
            new int[] {PARTITION}, Roaring64NavigableMap.bitmapOf(ATTEMPT), 1000, () -> ended[0]++);
    wait.sawAttempt(ATTEMPT, logState.attempts.find(ATTEMPT));
    wait.begin(0, partition.attempts().complete());
    logState.waits.add(wait);

    losses.recount(later, PARTITION, List.of(block(ATTEMPT)));

    assertThat(ended[0]).isEqualTo(1);
    assertThat(logState.waits.isEmpty()).isTrue();
  }
}
