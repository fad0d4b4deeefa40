package io.sluice.spark.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IndexFileTest {
  @TempDir Path directory;

  private Path file(long... offsets) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(offsets.length * Long.BYTES);
    for (long offset : offsets) {
      bytes.putLong(offset);
    }
    return Files.write(directory.resolve("shuffle_1_2_0.index"), bytes.array());
  }

  @Test
  void returnsTheLengthOfEveryPartition() throws IOException {
    assertThat(new IndexFile(file(0, 10, 10, 1L << 40), 3).read())
        .containsExactly(10, 0, (1L << 40) - 10);
  }

  @Test
  void refusesAnIndexOfWrongLength() throws IOException {
    assertThatThrownBy(() -> new IndexFile(file(0, 10), 2).read())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("too short for 2 partitions")
        .hasMessageContaining("shuffle_1_2_0.index");
    assertThatThrownBy(() -> new IndexFile(file(0, 10, 20), 1).read())
        .hasMessageContaining("too long for 1 partitions");
    assertThatThrownBy(() -> new IndexFile(file(0, 10, 5), 2).read())
        .hasMessageContaining("partition 1 ends at 5");
  }

  @Test
  void refusesOffsetsThatDoNotStartAtZeroOrOverflow() throws IOException {
    assertThatThrownBy(() -> new IndexFile(file(5, 10), 1).read())
        .hasMessageContaining("begins at 5, expected 0");
    assertThatThrownBy(() -> new IndexFile(file(0, Long.MAX_VALUE, Long.MIN_VALUE), 2).read())
        .hasMessageContaining("partition 1 ends at " + Long.MIN_VALUE);
  }
}
