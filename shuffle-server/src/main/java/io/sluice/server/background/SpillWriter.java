package io.sluice.server.background;

import io.netty.buffer.ByteBuf;
import io.sluice.common.run.RunHeader;
import io.sluice.common.run.RunId;
import io.sluice.common.run.RunOrder;
import io.sluice.common.run.RunWriter;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.Storage;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.SpillBatch;
import io.sluice.server.observe.ServerCounters;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes one batch as one run, on the calling thread. Thread-safe if its random generator is. */
public final class SpillWriter {
  private static final Logger LOG = LoggerFactory.getLogger(SpillWriter.class);

  private final long epoch;
  private final RunFiles files;
  private final RandomGenerator random;
  private final ServerCounters counters;

  public SpillWriter(long epoch, RunFiles files, RandomGenerator random, ServerCounters counters) {
    this.epoch = epoch;
    this.files = files;
    this.random = random;
    this.counters = counters;
  }

  /**
   * As for the spiller, for batches that are never cancelled.
   *
   * @param batch takes
   * @return whether it was written
   */
  public boolean write(SpillBatch batch, Disk disk) {
    return write(new SpillTask(batch, disk.beginWrite(batch.length())), disk);
  }

  /**
   * Writes a batch and switches its log to the file. On failure, returns the batch to its log and
   * records the failure; only an {@link IOException} counts as a failure of the disk. If the batch
   * was cancelled meanwhile, the file is deleted.
   *
   * @return whether it was written
   */
  boolean write(SpillTask task, Disk disk) {
    try {
      return writeAndEnd(task, disk);
    } catch (OutOfMemoryError e) {
      // Of direct memory: if the heap is exhausted, the process ends.
      LOG.warn(
          "spill postponed, the server is out of memory disk={} bytes={} problem={}",
          disk.name(),
          task.batch().length(),
          e.toString());
      task.write().postponed();
      counters.spillFailed();
      return false;
    } catch (RuntimeException | Error e) {
      task.write().postponed();
      counters.spillFailed();
      throw e;
    } finally {
      // Does nothing if the batch has ended.
      task.abort();
      task.releaseBodies();
      task.write().cancelled();
    }
  }

  private boolean writeAndEnd(SpillTask task, Disk disk) {
    SpillBatch batch = task.batch();
    RunId run = RunId.random(random::nextLong);
    RunOrder order = new RunOrder(epoch, batch.firstArrival());
    long[] offsets = new long[batch.parts().size()];
    RunFile file;
    try {
      long length = write(task, disk.storage(), run, order, offsets);
      if (length == 0) {
        return false;
      }
      file = register(disk, new RunRecord(run, batch.log().key(), order, length, List.of()));
    } catch (IOException e) {
      task.abort();
      task.write().failed(e);
      counters.spillFailed();
      return false;
    }
    if (!disk.health().state().isReadable() || !task.settle()) {
      file.discard();
      return false;
    }
    long bytes = batch.length();
    batch.log().completeSpill(batch, file, order, offsets);
    long nanos = task.write().ageNanos();
    task.write().succeeded(file.length());
    counters.spilled(bytes, nanos);
    return true;
  }

  private RunFile register(Disk disk, RunRecord record) throws IOException {
    boolean registered = false;
    try {
      disk.catalog().add(record);
      registered = true;
      return files.add(disk, record);
    } finally {
      if (!registered) {
        disk.storage().delete(RunFiles.fileName(record.id()));
      }
    }
  }

  /** Returns the length of the file, or 0 if the batch was cancelled during the write. */
  private static long write(
      SpillTask task, Storage storage, RunId run, RunOrder order, long[] offsets)
      throws IOException {
    SpillBatch batch = task.batch();
    ShuffleKey key = batch.log().key();
    try (Storage.NewFile file = storage.create(RunFiles.fileName(run), key.application())) {
      RunWriter writer =
          new RunWriter(
              file.channel(), new RunHeader(run, order, key.application(), key.shuffle()));
      for (int i = 0; i < offsets.length; i++) {
        SpillBatch.Part part = batch.parts().get(i);
        List<ByteBuf> buffers = new ArrayList<>(part.bufferCount());
        for (int at = 0; at < part.bufferCount(); at++) {
          buffers.add(part.buffer(at));
        }
        offsets[i] = writer.writePartition(part.partition(), part.start(), buffers);
      }
      long length = writer.finish();
      if (task.isSettled()) {
        return 0;
      }
      file.commit();
      return length;
    }
  }
}
