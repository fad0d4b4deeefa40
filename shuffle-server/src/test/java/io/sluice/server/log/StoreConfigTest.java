package io.sluice.server.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class StoreConfigTest {
  private static final LogConfig LOG = LogConfig.DEFAULT;

  @Test
  void dividesTheHeapBetweenExtentsAndMetadata() {
    StoreConfig sized = StoreConfig.forHeap(96L << 30);
    assertThat(sized.maxBufferedExtents()).isEqualTo(1L << 28);
    assertThat(sized.maxPartitions()).isEqualTo(96L << 20);
    assertThat(sized.maxMetadataBytes()).isEqualTo(48L << 30);

    StoreConfig smallest = StoreConfig.forHeap(1);
    assertThat(smallest.maxBufferedExtents()).isEqualTo(1 << 14);
    assertThat(smallest.maxPartitions()).isEqualTo(1 << 14);
    assertThat(smallest.maxMetadataBytes()).isEqualTo(1 << 14);
  }

  @Test
  void limitsArePositive() {
    assertThatCode(() -> new StoreConfig(1, 1, 4, 1, 1, LOG)).doesNotThrowAnyException();
    assertRefused(0, 1, 4, 1, 1);
    assertRefused(1, 0, 4, 1, 1);
    assertRefused(1, 1, 3, 1, 1);
    assertRefused(1, 1, 4, 0, 1);
    assertRefused(1, 1, 4, 1, 0);
  }

  private static void assertRefused(
      int shuffles, int tombstones, long extents, long partitions, long metadata) {
    assertThatThrownBy(
            () -> new StoreConfig(shuffles, tombstones, extents, partitions, metadata, LOG))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("limits of the store");
  }

  @Test
  void limitsOfALogArePositive() {
    assertThatCode(() -> new LogConfig(1, 1, 1, 1)).doesNotThrowAnyException();
    for (long[] limits : new long[][] {{0, 1, 1, 1}, {1, 0, 1, 1}, {1, 1, 0, 1}, {1, 1, 1, 0}}) {
      assertThatThrownBy(
              () -> new LogConfig((int) limits[0], limits[1], (int) limits[2], (int) limits[3]))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("at least 1");
    }
  }
}
