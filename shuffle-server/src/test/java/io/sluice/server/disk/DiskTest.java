package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.run.RunId;
import io.sluice.common.run.RunOrder;
import io.sluice.server.catalog.InMemoryCatalog;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.log.ShuffleKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DiskTest {
  private final AtomicLong nanos = new AtomicLong(1L << 40);
  private final InMemoryStorage storage = new InMemoryStorage("disk", StorageKind.SSD);
  private final Disk disk =
      new Disk(
          storage, new InMemoryCatalog(), new DiskLimits(95, 85, 2, 1_000, 30_000), nanos::get);

  @Test
  void pausesAfterAFailureAndIsBadAfterSeveral() {
    disk.beginWrite(1).failed(new IOException("first"));
    assertThat(disk.isHealthy()).isTrue();
    assertThat(disk.mayWrite(1)).isFalse();
    pass(1_000);
    assertThat(disk.mayWrite(1)).isTrue();
    disk.beginWrite(1).failed(new IOException("second"));
    assertThat(disk.isHealthy()).isFalse();
    pass(29_999);
    assertThat(disk.mayWrite(1)).isFalse();
    pass(1);
    assertThat(disk.mayWrite(1)).as("tried again").isTrue();
    assertThat(disk.isHealthy()).isFalse();
    disk.beginWrite(1).succeeded(1);
    assertThat(disk.isHealthy()).isTrue();
    assertThat(disk.mayWrite(1)).isTrue();
  }

  @Test
  void isFullFromTheHighWatermarkUntilBelowTheLowWatermark() throws IOException {
    storage.capacityBytes(1000);
    store(1, 900);
    assertThat(disk.isHealthy()).isTrue();
    store(2, 60);
    assertThat(disk.isHealthy()).isFalse();
    storage.delete("2");
    pass(1_000);
    assertThat(disk.isHealthy()).as("90 percent").isFalse();
    storage.delete("1");
    pass(1_000);
    assertThat(disk.isHealthy()).isTrue();
  }

  @Test
  void keepsFilesWithReadersAndAFewIdleFilesOpen() throws IOException {
    OpenFiles forgotten = new OpenFiles();
    RunFiles files = new RunFiles(1, forgotten);
    RunFile[] runs = new RunFile[3];
    for (int i = 0; i < runs.length; i++) {
      RunId id = new RunId(0, i);
      store(RunFiles.fileName(id), 10);
      runs[i] =
          files.add(
              disk, new RunRecord(id, new ShuffleKey("app", 1), new RunOrder(1, i), 10, List.of()));
      runs[i].retain();
      runs[i].channel();
    }
    assertThat(storage.openChannelCount()).isEqualTo(3);
    for (RunFile run : runs) {
      run.release();
    }
    assertThat(storage.openChannelCount()).isEqualTo(1);
    assertThat(forgotten.count).isEqualTo(2);
    runs[0].retain();
    assertThat(runs[0].channel().isOpen()).isTrue();
    runs[0].discard();
    runs[0].discard();
    files.deletePending();
    assertThat(runs[0].channel().isOpen()).as("still read").isTrue();
    assertThat(storage.list()).hasSize(3);
    runs[0].release();
    runs[1].discard();
    files.start();
    files.close();
    assertThat(storage.list()).hasSize(1);
    assertThat(files.count()).isEqualTo(1);
    runs[2].discard();
    files.deletePending();
    assertThat(storage.list()).isEmpty();
    assertThat(storage.openChannelCount()).isZero();
    assertThat(forgotten.count).as("opened before").isEqualTo(4);
  }

  /** Counts files that are forgotten, which must be open. */
  private static final class OpenFiles extends PageCache.Unknown {
    private int count;

    @Override
    public void forget(FileChannel file) {
      assertThat(file.isOpen()).isTrue();
      count++;
    }
  }

  private void store(Object name, int length) throws IOException {
    try (Storage.NewFile file = storage.create(name.toString())) {
      file.channel().write(ByteBuffer.allocate(length));
      file.commit();
    }
    pass(1_000);
  }

  private void pass(long ms) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(ms));
    disk.refresh();
  }
}
