package io.sluice.client.push;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.client.rows.TestRows;
import io.sluice.client.server.DirectMemory;
import io.sluice.client.server.RetryPolicy;
import io.sluice.common.block.BatchChecksum;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.Receipt;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: the receipt of a partition is that of the added batches, whatever the session does with
 * them: cuts, compresses, encodes, sends early, or marks the end with an empty block.
 */
class WrittenReceiptsTest {
  private static final int PARTITIONS = 1500;
  private static final int FIELDS = 2;

  private final Random random = new Random(4);
  private final BatchChecksum checksum = new BatchChecksum();
  private final Map<Integer, Receipt> expected = new HashMap<>();

  private byte[] rows(int count) {
    TestRows rows = new TestRows(FIELDS);
    for (int i = 0; i < count; i++) {
      rows.begin().number(0, i).number(1, random.nextInt(50)).end();
    }
    return rows.bytes();
  }

  private void add(PushSession session, int partition, int records) throws Exception {
    byte[] bytes = rows(records);
    session.add(partition, bytes, 0, bytes.length, records);
    Receipt before = expected.getOrDefault(partition, Receipt.NONE);
    expected.put(
        partition,
        new Receipt(
            before.records() + records,
            before.bytes() + bytes.length,
            before.checksum() + checksum.of(bytes, 0, bytes.length, records)));
  }

  @ParameterizedTest
  @EnumSource(BlockCodec.class)
  void areThoseOfTheAddedBatches(BlockCodec codec) throws Exception {
    for (boolean finalPass : new boolean[] {true, false}) {
      expected.clear();
      CollectingSink sink = new CollectingSink();
      RetryPolicy retry = new RetryPolicy(1, 1, 1, 1);
      try (FramedPushSession session =
          FramedPushSession.toLocalOutput(
              PARTITIONS,
              new MapAttempt(1, 0),
              new PushOptions(null, null, sink, BlockSizes.PAYLOADS, new RowBlocks(FIELDS)),
              new PushConfig(4096, 4096, 1, codec, 1, retry, retry),
              UnpooledByteBufAllocator.DEFAULT,
              new DirectMemory(Long.MAX_VALUE))) {
        for (int pass = 0; pass < 2; pass++) {
          if (pass == 1 && finalPass) {
            session.beginFinalPass();
          }
          for (int partition = 0; partition < PARTITIONS; partition += 1 + random.nextInt(3)) {
            for (int i = random.nextInt(3); i >= 0; i--) {
              add(session, partition, random.nextInt(40) == 0 ? 400 : 1 + random.nextInt(30));
            }
          }
        }
        session.finish();
      }
      assertThat(sink.receipts()).isEqualTo(expected);
    }
  }
}
