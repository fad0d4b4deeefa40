package io.sluice.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.fake.FakeCluster;
import io.sluice.client.fake.FakeTransport.Faults;
import io.sluice.common.block.Receipt;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReceiptChecksTest {
  private final Random random = new Random(5);

  /** Two batches; each of their blocks has 100 records and 100 bytes. */
  private TestBlocks blocks(int... blocksEach) {
    return TestBlocks.of(0, 1, random, 100, blocksEach);
  }

  /** Pushes the blocks in an order, reads them, and returns the number of batches. */
  private static int read(TestBlocks blocks, boolean anyOrder, List<Integer> order)
      throws Exception {
    try (FakeCluster cluster = FakeCluster.inline(1, new Faults() {})) {
      ShuffleAssignment assignment = cluster.assign(1, 1, 1);
      for (int sequence : order) {
        blocks.push(cluster.pool(), assignment, cluster.server(0), sequence);
      }
      ShuffleReadRequest.Builder request = ShuffleReadRequest.builder(assignment).expect(0, 1, 1);
      if (anyOrder) {
        request.anyOrder();
      }
      try (PooledShuffleRead read = cluster.read(request.build())) {
        int batches = 0;
        while (read.next() != null) {
          batches++;
        }
        return batches;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void acceptsDataThatMatchesTheReceiptInAnyOrder(boolean anyOrder) throws Exception {
    assertThat(read(blocks(1), anyOrder, List.of(0))).isEqualTo(1);
    assertThat(read(blocks(2, 1, 3), anyOrder, List.of(0, 1, 2, 3, 4, 5))).isEqualTo(3);
    assertThat(read(blocks(2, 1, 3), anyOrder, List.of(5, 3, 1, 4, 0, 2))).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void failsTheReadIfRecordsOrBytesDiffer(boolean anyOrder) throws IOException {
    for (Receipt wrong : List.of(new Receipt(99, 100, 0), new Receipt(100, 101, 0))) {
      TestBlocks one = blocks(1).withReceipt(wrong);
      assertThatThrownBy(() -> read(one, anyOrder, List.of(0)))
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining(
              "partition=0 attempt=1 records=100 expectedRecords="
                  + wrong.records()
                  + " bytes=100 expectedBytes="
                  + wrong.bytes());
    }
    TestBlocks several = blocks(2, 1).withReceipt(new Receipt(300, 299, 0));
    assertThatThrownBy(() -> read(several, anyOrder, List.of(2, 0, 1)))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("records=300 expectedRecords=300 bytes=300 expectedBytes=299");
  }
}
