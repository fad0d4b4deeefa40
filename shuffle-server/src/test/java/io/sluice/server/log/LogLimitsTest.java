package io.sluice.server.log;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A log that may have four attempts and three partitions. */
class LogLimitsTest {
  private static final int MAX_ATTEMPTS = 4;
  private static final int MAX_PARTITIONS = 3;
  private static final long MAX_METADATA_BYTES = 100_000;

  private LogTotals totals = new LogTotals(100, MAX_METADATA_BYTES);
  private LogState logState = new LogState(new ShuffleKey("app", 1), totals);

  private LogLimits limits() {
    return new LogLimits(
        logState, new LogConfig(1 << 20, 1 << 30, MAX_ATTEMPTS, MAX_PARTITIONS), totals);
  }

  /** A batch with a block of each attempt in the partition of the same position. */
  private static BlockBatch batch(long[] attempts, int... partitions) throws SluiceException {
    BlockBatch batch = new BlockBatch(1);
    for (int i = 0; i < partitions.length; i++) {
      byte[] block = BlockBytes.block(attempts[i], 0, partitions[i], 0, true, new byte[1]);
      batch.add(BlockHeader.read(Unpooled.wrappedBuffer(block), 0, block.length));
    }
    return batch;
  }

  private static long[] attempts(long... attempts) {
    return attempts;
  }

  private void has(int attempts, int... partitions) {
    List<OpenWait> none = new ArrayList<>();
    for (int partition : partitions) {
      for (int attempt = 0; attempt < attempts; attempt++) {
        logState.accept(logState.findOrAdd(partition), attempt, 0, true, none);
      }
    }
  }

  private void assertAccepted(BlockBatch batch) {
    assertThatCode(() -> limits().check(batch)).doesNotThrowAnyException();
  }

  private void assertRefused(BlockBatch batch, StatusCode code, String message) {
    assertThatThrownBy(() -> limits().check(batch))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining(message)
        .extracting(e -> ((SluiceException) e).code())
        .isEqualTo(code);
  }

  @Test
  void refusesBlocksAfterTheEndOfTheShuffle() throws SluiceException {
    BlockBatch batch = batch(attempts(1), 1);
    assertAccepted(batch);
    logState.state = LogState.State.EXPIRED;
    assertRefused(batch, StatusCode.EXPIRED, "unregistered");
    logState.state = LogState.State.UNUSED;
    assertRefused(batch, StatusCode.BUSY, "retry the push");
  }

  @Test
  void countsTheNewAttemptsOfABatchOnce() throws SluiceException {
    has(MAX_ATTEMPTS - 2, 1);
    assertAccepted(batch(attempts(0, 1, 0, 1, 2, 3, 3), 1, 1, 1, 1, 1, 1, 1));
    assertRefused(
        batch(attempts(2, 3, 4), 1, 1, 1), StatusCode.NO_SPACE, "maximum of 4 map attempts");
    has(MAX_ATTEMPTS, 1);
    assertAccepted(batch(attempts(0, 3), 1, 1));
    assertRefused(batch(attempts(4), 1), StatusCode.NO_SPACE, "map attempts");
  }

  @Test
  void countsTheNewPartitionsOfABatchOnce() throws SluiceException {
    has(1, 10);
    assertAccepted(batch(attempts(0, 0, 0, 0), 10, 11, 12, 12));
    assertRefused(
        batch(attempts(0, 0, 0), 11, 12, 13), StatusCode.NO_SPACE, "this shuffle has 1 partitions");
    has(1, 11, 12);
    assertAccepted(batch(attempts(0), 12));
    assertRefused(batch(attempts(0), 13), StatusCode.NO_SPACE, "limit of partitions");
  }

  @Test
  void countsThePartitionsOfAllShuffles() throws SluiceException {
    totals.addPartitions(99);
    assertAccepted(batch(attempts(0), 1));
    assertRefused(batch(attempts(0, 0), 1, 2), StatusCode.NO_SPACE, "all shuffles have 99");
    totals.addPartitions(1);
    assertRefused(batch(attempts(0), 1), StatusCode.NO_SPACE, "all shuffles have 100");
  }

  @Test
  void refusesBlocksWhenTheHeapForMetadataIsUsed() throws SluiceException {
    totals.addMetadata(MAX_METADATA_BYTES - 1);
    assertAccepted(batch(attempts(0), 1));
    totals.addMetadata(1);
    assertRefused(batch(attempts(0), 1), StatusCode.NO_SPACE, "raise -Xmx");
    totals = new LogTotals(100);
    logState = new LogState(new ShuffleKey("app", 1), totals);
    totals.addMetadata(Long.MAX_VALUE / 2);
    assertAccepted(batch(attempts(0), 1));
  }
}
