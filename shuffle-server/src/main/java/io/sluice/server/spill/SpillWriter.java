package io.sluice.server.spill;

import io.netty.buffer.ByteBuf;
import io.sluice.common.run.RunHeader;
import io.sluice.common.run.RunId;
import io.sluice.common.run.RunOrder;
import io.sluice.common.run.RunWriter;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.SpillBatch;
import io.sluice.server.service.ServerCounters;
import io.sluice.server.storage.Disk;
import io.sluice.server.storage.RunFiles;
import io.sluice.server.storage.Storage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Writes one batch as one run, on the calling thread. Thread-safe if its random generator is. */
public final class SpillWriter {
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
   * Writes a batch and lets its log point to the file; or, if that fails, gives the batch back to
   * its log as it was and takes note of the failure.
   *
   * @param batch takes
   * @return whether it was written
   */
  public boolean write(SpillBatch batch, Disk disk) {
    RunId run = RunId.random(random);
    RunOrder order = new RunOrder(epoch, batch.firstArrival());
    long[] offsets = new long[batch.parts().size()];
    long length;
    try {
      length = write(batch, disk.storage(), run, order, offsets);
      register(new RunRecord(run, batch.log().key(), order, length, List.of()), disk);
    } catch (IOException e) {
      batch.log().abortSpill(batch);
      disk.writeFailed(e);
      counters.spillFailed();
      return false;
    } catch (RuntimeException | Error e) {
      batch.log().abortSpill(batch);
      throw e;
    }
    long bytes = batch.length();
    batch.log().completeSpill(batch, files.add(disk, run, length), order, offsets);
    disk.writeSucceeded();
    counters.spilled(bytes);
    return true;
  }

  /** From here on the run exists. If that fails, so does the spill, and the file goes. */
  private static void register(RunRecord run, Disk disk) throws IOException {
    try {
      disk.catalog().add(run);
    } catch (IOException e) {
      try {
        disk.storage().delete(RunFiles.fileName(run.id()));
      } catch (IOException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
  }

  private static long write(
      SpillBatch batch, Storage storage, RunId run, RunOrder order, long[] offsets)
      throws IOException {
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
      file.commit();
      return length;
    }
  }
}
