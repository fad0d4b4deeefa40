package io.sluice.benchmark.load;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.run.RunId;
import io.sluice.common.run.RunOrder;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.disk.DirectoryConfig;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskLimits;
import io.sluice.server.disk.Disks;
import io.sluice.server.disk.Fsync;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.Storage;
import io.sluice.server.log.BlockBatch;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.SpillBatch;
import io.sluice.server.log.StoreConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * Fills a directory with the runs of one shuffle and measures the time of their deletion: for the
 * caller, and until the last file is deleted. The run files are sparse files of the requested
 * length with a configurable number of written bytes. The log has the extents of real runs.
 */
final class DeleteBench {
  private static final int BLOCKS_PER_FRAME = 4096;
  private static final int WRITE_BYTES = 1 << 20;
  private static final long DEADLINE_NANOS = TimeUnit.MINUTES.toNanos(5);
  private static final ShuffleKey KEY = new ShuffleKey("bench-delete", 0);

  /**
   * Measurements.
   *
   * @param callNanos time until the call returns
   * @param deletedNanos time until the last file is unlinked
   */
  record Result(
      int files,
      long fileBytes,
      long writtenBytes,
      long extents,
      long callNanos,
      long deletedNanos) {}

  private final Path directory;
  private final int partitions;
  private final long runBytes;
  private final int runs;
  private final long writtenBytesPerRun;

  /**
   * @param writtenBytesPerRun written bytes of each file; the rest is a hole
   */
  DeleteBench(Path directory, int partitions, long runBytes, int runs, long writtenBytesPerRun) {
    this.directory = directory;
    this.partitions = partitions;
    this.runBytes = runBytes;
    this.runs = runs;
    this.writtenBytesPerRun = Math.min(runBytes, writtenBytesPerRun);
  }

  Result run() throws IOException {
    RunFiles files = new RunFiles(0);
    try (Disks disks =
            Disks.open(
                List.of(new DirectoryConfig(directory, Optional.empty(), 0, 1.0)),
                new DiskLimits(100, 99, 3, 1, 1),
                Fsync.NEVER,
                "sluice bench",
                System::nanoTime);
        files;
        ShuffleStore store = new ShuffleStore(StoreConfig.DEFAULT)) {
      files.start();
      RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
      Disk disk = disks.list().get(0);
      for (int run = 0; run < runs; run++) {
        push(store, run);
        spill(store.find(KEY), disk, files, RunId.random(random::nextLong));
      }
      long start = System.nanoTime();
      store.removeShuffles(KEY.application(), List.of(KEY.shuffle()));
      final long callNanos = System.nanoTime() - start;
      while (files.count() > 0) {
        if (System.nanoTime() - start > DEADLINE_NANOS) {
          throw new IOException(
              files.count()
                  + " files were not deleted within "
                  + TimeUnit.NANOSECONDS.toMinutes(DEADLINE_NANOS)
                  + " min");
        }
        LockSupport.parkNanos(100_000);
      }
      return new Result(
          runs,
          runBytes,
          writtenBytesPerRun,
          (long) runs * partitions,
          callNanos,
          System.nanoTime() - start);
    }
  }

  /** Appends one block of one attempt to every partition. */
  private void push(ShuffleStore store, int attempt) throws SluiceException {
    for (int first = 0; first < partitions; first += BLOCKS_PER_FRAME) {
      int last = Math.min(partitions, first + BLOCKS_PER_FRAME);
      BlockBatch batch = new BlockBatch(last - first);
      for (int partition = first; partition < last; partition++) {
        batch.add(
            new BlockHeader(
                attempt, attempt, partition, 0, 0, 0, 0, BlockCodec.NONE, BlockHeader.FLAG_LAST));
      }
      ByteBuf body = Unpooled.buffer(batch.length()).writerIndex(batch.length());
      store.findOrCreate(KEY).append(body, batch.length(), batch);
    }
  }

  private void spill(ShuffleLog log, Disk disk, RunFiles files, RunId id) throws IOException {
    SpillBatch batch = log.takeForSpill(Long.MAX_VALUE);
    RunOrder order = new RunOrder(1, batch.firstArrival());
    try (Storage.NewFile file = disk.storage().create(RunFiles.fileName(id))) {
      write(file.channel());
      file.commit();
    }
    RunRecord record = new RunRecord(id, KEY, order, runBytes, List.of());
    disk.catalog().add(record);
    RunFile run = files.add(disk, record);
    log.completeSpill(batch, run, order, new long[batch.parts().size()]);
  }

  private void write(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(WRITE_BYTES);
    for (long at = 0; at < writtenBytesPerRun; at += WRITE_BYTES) {
      bytes.clear().limit((int) Math.min(WRITE_BYTES, writtenBytesPerRun - at));
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
    if (writtenBytesPerRun < runBytes) {
      channel.write(ByteBuffer.wrap(new byte[1]), runBytes - 1);
    }
  }
}
