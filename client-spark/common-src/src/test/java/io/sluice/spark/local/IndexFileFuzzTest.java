package io.sluice.spark.local;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.fuzz.DecoderFuzz;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexFileFuzzTest {
  private static final int PARTITIONS = 3;

  @TempDir Path directory;

  private static byte[] index(long... lengths) {
    ByteBuffer offsets = ByteBuffer.allocate((lengths.length + 1) * Long.BYTES).putLong(0);
    long end = 0;
    for (long length : lengths) {
      end += length;
      offsets.putLong(end);
    }
    return offsets.array();
  }

  @Test
  void anIndexIsRefusedOrEncodesToTheSame() {
    Path path = directory.resolve("shuffle_1_2_0.index");
    DecoderFuzz.of(index(10, 0, 1L << 40), index(0, 0, 0))
        .refusing(IOException.class)
        .run(
            input -> {
              Files.write(path, input);
              long[] lengths = new IndexFile(path, PARTITIONS).read();
              assertThat(LongStream.of(lengths)).hasSize(PARTITIONS).noneMatch(l -> l < 0);
              assertThat(index(lengths)).isEqualTo(input);
            });
  }
}
