package io.sluice.benchmark.rows;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BlockCodec;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RowReplayTest {
  private static final int BLOCKS = 20;
  private static final int ROWS = 500;
  private static final int ROW_BYTES = 24;

  @TempDir private Path directory;

  /** A log of every second block of an exchange, with two fields. */
  private Path log(String name) throws IOException {
    Path file = directory.resolve(name + ".rows");
    int blockBytes = ROWS * (Integer.BYTES + ROW_BYTES);
    try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(file))) {
      out.writeInt(2);
      out.writeLong(2L * BLOCKS * blockBytes);
      for (int block = 0; block < BLOCKS; block++) {
        out.writeInt(blockBytes);
        out.writeInt(ROWS);
        for (int row = 0; row < ROWS; row++) {
          out.writeInt(ROW_BYTES);
          ByteBuffer words = ByteBuffer.allocate(ROW_BYTES).order(ByteOrder.LITTLE_ENDIAN);
          words.putLong(0).putLong(block * 1000L + row * 7L).putLong(row * 31L % 97);
          out.write(words.array());
        }
      }
    }
    return file;
  }

  @ParameterizedTest
  @EnumSource(BlockCodec.class)
  void measuresAllBlocksOfAnExchange(BlockCodec codec) throws IOException {
    RowExchange found = RowReplay.of(log("tpch-14-3"), codec);

    assertThat(found.query()).isEqualTo("tpch-14");
    assertThat(found.exchange()).isEqualTo(3);
    assertThat(found.bytes()).isEqualTo(2.0 * BLOCKS * ROWS * (Integer.BYTES + ROW_BYTES));
    assertThat(found.plain().bytes()).isBetween(1.0, found.bytes() * 1.1);
    assertThat(found.ratio()).isLessThan(0.6);
    assertThat(found.encoded().reportedBytes() / found.plain().reportedBytes())
        .isBetween(0.85, 1.15);
  }

  @Test
  void theTableHasLargeExchangesAndSums() throws IOException {
    RowTable table = new RowTable(1000);
    table.add(RowReplay.of(log("tpch-1-0"), BlockCodec.LZ4));
    table.add(RowReplay.of(log("tpcds-23a-0"), BlockCodec.LZ4));
    table.add(RowReplay.of(log("tpch-repartition-0"), BlockCodec.LZ4));

    assertThat(table.isGood()).isTrue();
    assertThat(table.render())
        .contains(
            "| LZ4 | TPC-H 1, 0 | 0.6 |",
            "| LZ4 | TPC-DS 23a, 0 | 0.6 |",
            "| LZ4 | **all of TPC-H** | 0.6 |",
            "| LZ4 | **all of TPC-DS** | 0.6 |",
            "| LZ4 | **all** | 1.1 |",
            "| LZ4 | **TPC-H repartition** | 0.6 |");
    RowTable sumsOnly = new RowTable(1e9);
    sumsOnly.add(RowReplay.of(log("tpch-1-0"), BlockCodec.LZ4));
    assertThat(sumsOnly.render()).doesNotContain("TPC-H 1, 0").contains("all of TPC-H");
  }

  @Test
  void aQueryWithMoreBytesIsNotGood() {
    RowTable table = new RowTable(1);
    RowExchange.Blocks plain = new RowExchange.Blocks(100, 100, 1, 1);
    table.add(new RowExchange("tpch-1", 0, BlockCodec.LZ4, 200, plain, plain.times(0.5)));
    assertThat(table.isGood()).isTrue();
    table.add(new RowExchange("tpch-2", 0, BlockCodec.LZ4, 200, plain, plain.times(1.01)));
    assertThat(table.isGood()).isFalse();
  }
}
