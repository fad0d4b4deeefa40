package io.sluice.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BatchChecksum;
import io.sluice.common.block.Receipt;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Goal: faults of the reader's own stages before delivery do not go unnoticed. */
class ReadyBatchesTest {
  private static final byte[] FIRST = {1, 2, 3};
  private static final byte[] SECOND = {4, 5, 6, 7};

  private final List<String> mismatches = new ArrayList<>();
  private final ReadyBatches ready =
      new ReadyBatches(1 << 20, (progress, attempt, difference) -> mismatches.add(difference));
  private PartitionProgress progress;

  @BeforeEach
  void expectBoth() {
    ExpectedAttempts.Builder expected = new ExpectedAttempts.Builder();
    expected.add(5, 0);
    progress = new PartitionProgress(expected.build(0), null, false);
    BatchChecksum checksum = new BatchChecksum();
    progress
        .receipts()
        .expect(
            0,
            new Receipt(
                3,
                FIRST.length + SECOND.length,
                checksum.of(FIRST, 0, FIRST.length, 1) + checksum.of(SECOND, 0, SECOND.length, 2)));
  }

  private int deliver() {
    ready.end(progress, 0);
    int batches = 0;
    while (ready.poll() != null) {
      batches++;
    }
    return batches;
  }

  @Test
  void deliversBatchesOfTheReceiptInAnyOrder() {
    ready.add(progress, 0, 2, SECOND, SECOND.length);
    ready.add(progress, 0, 1, FIRST, FIRST.length);
    assertThat(deliver()).isEqualTo(2);
    assertThat(mismatches).isEmpty();
    assertThat(ready.matched()).isEqualTo(1);
  }

  @Test
  void doesNotDeliverTheLastBatchIfOneIsMissing() {
    ready.add(progress, 0, 2, SECOND, SECOND.length);
    assertThat(deliver()).isZero();
    assertThat(mismatches).hasSize(1);
    assertThat(ready.matched()).isZero();
  }

  @Test
  void doesNotDeliverTheLastBatchIfOneIsThereTwice() {
    ready.add(progress, 0, 1, FIRST, FIRST.length);
    ready.add(progress, 0, 2, SECOND, SECOND.length);
    ready.add(progress, 0, 1, FIRST, FIRST.length);
    assertThat(deliver()).isEqualTo(2);
    assertThat(mismatches).hasSize(1);
  }

  /** The buffer of a batch that waits is used for another one. */
  @Test
  void doesNotDeliverTheLastBatchIfOneIsOverwritten() {
    byte[] reused = FIRST.clone();
    ready.add(progress, 0, 1, reused, FIRST.length);
    ready.add(progress, 0, 2, SECOND, SECOND.length);
    reused[0] = 9;
    assertThat(deliver()).isEqualTo(1);
    assertThat(mismatches.get(0)).contains("records=3 expectedRecords=3 bytes=7 expectedBytes=7");
  }
}
