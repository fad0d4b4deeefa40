package io.sluice.server.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.run.RunOrder;
import io.sluice.server.log.BlockBatch;
import io.sluice.server.log.BlockBytes;
import io.sluice.server.log.LogConfig;
import io.sluice.server.log.LogRange;
import io.sluice.server.log.LogTotals;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.transport.server.ClientConnection;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When bytes are read ahead of a client, of a run with 100 blocks of 100 bytes. */
class ReadAheadTest extends FileReadsFixture {
  private static final int PARTITION = 3;
  private static final int BLOCKS = 100;
  private static final int BLOCK_BYTES = 100;
  private static final int READ_BYTES = 500;

  private final ShuffleLog log =
      new ShuffleLog(new ShuffleKey("app", 1), LogConfig.DEFAULT, new LogTotals(1 << 20));

  @BeforeEach
  void writeAnOpenRun() throws Exception {
    ByteBuf body = Unpooled.buffer(BLOCKS * BLOCK_BYTES);
    BlockBatch batch = new BlockBatch(BLOCKS);
    byte[] payload = new byte[BLOCK_BYTES - BlockHeader.LENGTH];
    for (int i = 0; i < BLOCKS; i++) {
      body.writeBytes(BlockBytes.block(0, 0, PARTITION, i, i == BLOCKS - 1, payload));
      batch.add(BlockHeader.read(body, i * BLOCK_BYTES, body.writerIndex()));
    }
    log.append(body, body.capacity(), batch);
    FakeRun run = run(ssd);
    run.channel();
    log.completeSpill(log.takeForSpill(Long.MAX_VALUE), run, new RunOrder(1, 0), new long[1]);
  }

  @AfterEach
  void closeLog() {
    log.close();
  }

  private void read(ClientConnection client, int start) throws SluiceException {
    List<LogRange> ranges = List.of(new LogRange(PARTITION, start, READ_BYTES));
    now(reads.read(client, 7, log, ranges), ssd).close();
    runThreads(ssd);
  }

  @Test
  void whileAllBytesAreInMemoryNoneAreLookedFor() throws Exception {
    cached = true;
    for (int start = 0; start < 4_000; start += READ_BYTES) {
      read(CLIENT, start);
    }

    assertThat(readAhead).isEmpty();
    assertThat(queries).isEqualTo(8);
  }

  @Test
  void afterAReadFromTheDiskTheNextBytesAreReadAhead() throws Exception {
    cached = true;
    read(CLIENT, 0);
    cached = false;
    read(CLIENT, 500);
    assertThat(readAhead).containsExactly("1000+1000");
  }

  @Test
  void bytesThatWereReadAheadDoNotEndIt() throws Exception {
    read(CLIENT, 0);
    read(CLIENT, 500);
    nextCached = true;
    read(CLIENT, 1_000);

    assertThat(readAhead).containsExactly("1000+1000", "1500+1000");
  }

  @Test
  void readsAheadToTheEndOfThePartitionOnly() throws Exception {
    read(CLIENT, 8_500);
    read(CLIENT, 9_000);
    read(CLIENT, 9_500);

    assertThat(readAhead).containsExactly("9500+500");
  }

  @Test
  void readsElsewhereAndOfOtherClientsAreNotSequential() throws Exception {
    read(CLIENT, 0);
    read(CLIENT, 1_000);
    read(client(1), 1_500);

    assertThat(readAhead).isEmpty();
  }
}
