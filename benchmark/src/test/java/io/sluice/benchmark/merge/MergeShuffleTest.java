package io.sluice.benchmark.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.server.background.BlockSizePolicy;
import io.sluice.server.background.FanInPolicy;
import io.sluice.server.disk.DirectoryConfig;
import io.sluice.server.disk.DirectoryStorage;
import io.sluice.server.disk.Fsync;
import io.sluice.server.disk.StorageKind;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MergeShuffleTest {
  private static final MergeLayout LAYOUT = new MergeLayout(40, 6, 2_000, 6_000, 5);
  private static final int WHOLE_PARTITIONS = 1 << 30;
  private static final int SLICE = 1 << 20;

  @TempDir Path directory;

  @Test
  void fullMergeDividesTheRequestsByItsFanIn() throws Exception {
    DiskModel model = new DiskModel(10, 200);
    try (MergeShuffle shuffle = new MergeShuffle(LAYOUT, new EmulatedDisk(model))) {
      shuffle.write(1, () -> {});
      model.reset();
      assertThat(shuffle.read(WHOLE_PARTITIONS).count()).isEqualTo(240);
      assertThat(model.requests()).isEqualTo(240);
      assertThat(model.seeks()).isEqualTo(240);
      shuffle.merge(new FanInPolicy(8), 16 << 20, 1, () -> {});
      assertThat(shuffle.runCount()).isEqualTo(5);
      model.reset();
      assertThat(shuffle.read(WHOLE_PARTITIONS).count()).isEqualTo(30);
      assertThat(model.seeks()).isEqualTo(30);
    }
  }

  @Test
  void readingOneRunNeedsOneSeekForOneReaderAndManyForSeveral() throws Exception {
    DiskModel model = new DiskModel(10, 200);
    MergeLayout layout = new MergeLayout(40, 6, 100_000, 300_000, 5);
    try (MergeShuffle shuffle = new MergeShuffle(layout, new EmulatedDisk(model))) {
      shuffle.write(40, () -> {});
      model.reset();
      ReadRequests requests = shuffle.read(SLICE);
      assertThat(requests.count()).isGreaterThan(18).isEqualTo(model.requests());
      // The partitions of a run are contiguous.
      assertThat(model.seeks()).isEqualTo(1);
      DiskModel one = new DiskModel(10, 200);
      requests.replay(one, 1);
      assertThat(one.seconds()).isEqualTo(model.seconds());
      DiskModel crowd = new DiskModel(10, 200);
      requests.replay(crowd, 6);
      assertThat(crowd.requests()).isEqualTo(requests.count());
      assertThat(crowd.seeks()).isGreaterThan(10);
    }
  }

  @Test
  void slicesThatEndWithinAnExtentNeedNoAdditionalRequest() throws Exception {
    DiskModel model = new DiskModel(10, 200);
    MergeLayout layout = new MergeLayout(40, 6, 60_000, 180_000, 5);
    try (MergeShuffle shuffle = new MergeShuffle(layout, new EmulatedDisk(model))) {
      shuffle.write(1, () -> {});
      // Extents of about 0.9 MiB.
      shuffle.merge(new FanInPolicy(8), 16 << 20, 1, () -> {});
      assertThat(shuffle.extents()).isEqualTo(30);
      assertThat(shuffle.read(SLICE).count()).isEqualTo(30);
    }
  }

  @Test
  void restoresRunsWrittenByAnotherShuffle() throws Exception {
    EmulatedDisk written = new EmulatedDisk(new DiskModel(1, 1));
    MergeShuffle first = new MergeShuffle(LAYOUT, written);
    first.write(2, () -> {});
    for (int round = 0; round < 2; round++) {
      DiskModel model = new DiskModel(1, 1);
      try (MergeShuffle shuffle = new MergeShuffle(LAYOUT, written.copy(model))) {
        shuffle.restore();
        assertThat(shuffle.runCount()).isEqualTo(20);
        shuffle.merge(new BlockSizePolicy(20_000), 16 << 20, 0.5, () -> {});
        assertThat(shuffle.counters().mergedRuns()).isBetween(10L, 13L);
        shuffle.read(10_000);
      }
    }
    first.read(10_000);
  }

  @Test
  void countsTheSameReadsAsTheKernelOnRealFiles() throws Exception {
    DirectoryStorage storage =
        DirectoryStorage.open(
            new DirectoryConfig(directory, Optional.of(StorageKind.HDD), 0, 1),
            Fsync.NEVER,
            "test");
    try (MergeShuffle shuffle = new MergeShuffle(LAYOUT, storage)) {
      shuffle.write(1, () -> {});
      shuffle.merge(new FanInPolicy(4), 16 << 20, 1, () -> {});
      long before = KernelReads.now();
      long requests = shuffle.read(WHOLE_PARTITIONS).count();
      assertThat(requests).isEqualTo(60);
      assertThat(KernelReads.now() - before).isGreaterThanOrEqualTo(requests);
      assertThat(storage.list()).hasSize(10);
    }
  }

  @Test
  void parsesPolicies() {
    assertThat(MergeCase.parse("none").policy()).isEmpty();
    assertThat(MergeCase.parse("fan-in:40").policy()).contains(new FanInPolicy(40));
    assertThat(MergeCase.parse("blocks:1m").policy()).contains(new BlockSizePolicy(1 << 20));
    assertThat(MergeCase.parse("blocks:1m@90%").share()).isEqualTo(0.9);
    for (String wrong : new String[] {"", "fan-in", "fan-in:x", "blocks:1m@x", "all"}) {
      assertThatThrownBy(() -> MergeCase.parse(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("expected none, fan-in:40");
    }
  }
}
