package io.sluice.server.background;

import io.sluice.common.run.MergeInputException;
import io.sluice.common.run.RunHeader;
import io.sluice.common.run.RunId;
import io.sluice.common.run.RunMerger;
import io.sluice.common.run.RunReader;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.disk.Disk;
import io.sluice.server.disk.DiskFault;
import io.sluice.server.disk.DiskSync;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.disk.Storage;
import io.sluice.server.log.MergeBatch;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.StoredRun;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes one merge on the calling thread: writes the merged run, adds it to the catalog of its
 * disk, switches the log to it and discards the inputs. After a crash in between, the record of the
 * merged run lists the runs that it replaces. Thread-safe if its random generator is.
 */
public final class MergeWriter {
  private static final Logger LOG = LoggerFactory.getLogger(MergeWriter.class);

  /**
   * Minimum length of an extent for which a copy by the kernel is as fast as a copy through a
   * buffer.
   */
  private static final long KERNEL_COPY_FROM_BYTES = 1 << 20;

  /** Receives runs that cannot be merged; may keep a reference. */
  public interface InputFailure {
    /**
     * @param run a run that its log still references
     */
    void failed(RunFile run, IOException problem);
  }

  private final RunFiles files;
  private final RandomGenerator random;
  private final MergeCounters counters;
  private final InputFailure inputFailure;

  public MergeWriter(
      RunFiles files, RandomGenerator random, MergeCounters counters, InputFailure inputFailure) {
    this.files = files;
    this.random = random;
    this.counters = counters;
    this.inputFailure = inputFailure;
  }

  /**
   * Result of a merge.
   *
   * @param failedInput the failed run if the outcome is {@link MergeOutcome#INPUT_FAILED}, else
   *     null
   */
  record Result(MergeOutcome outcome, StoredRun failedInput) {}

  /**
   * Merges a batch and ends it in any case.
   *
   * @param batch takes
   * @param output the disk to write to
   * @param memory borrows: read buffers
   * @param checkpoint called between steps of the merge; throws {@link MergeCancelledException} to
   *     cancel it
   */
  Result merge(MergeBatch batch, Disk output, ByteBuffer memory, RunMerger.Checkpoint checkpoint) {
    RunId run = RunId.random(random::nextLong);
    List<RunReader> inputs;
    RunMerger.Merged merged;
    RunFile file;
    boolean registered = false;
    try {
      inputs = open(batch.inputs());
      merged = write(batch, inputs, run, output, memory, checkpoint);
      file = register(record(batch, inputs, run, merged.length()), output);
      registered = true;
    } catch (MergeCancelledException e) {
      counters.mergeCancelled();
      return new Result(MergeOutcome.CANCELLED, null);
    } catch (MergeInputException e) {
      counters.failed();
      if (DiskFault.of(e) == DiskFault.UNRELATED) {
        LOG.warn(
            "merge postponed, the server is out of memory or file descriptors problem={}",
            e.toString());
        return new Result(MergeOutcome.POSTPONED, null);
      }
      RunFile input = (RunFile) batch.inputs().get(e.input());
      LOG.warn("run cannot be merged file={} problem={}", input, e.getCause().toString());
      inputFailure.failed(input, e);
      return new Result(MergeOutcome.INPUT_FAILED, input);
    } catch (IOException e) {
      counters.failed();
      output.beginWrite(0).failed(e);
      return new Result(MergeOutcome.OUTPUT_FAILED, null);
    } finally {
      if (!registered) {
        batch.log().abortMerge(batch);
      }
    }
    if (!output.health().state().isReadable()) {
      batch.log().abortMerge(batch);
      file.discard();
      counters.failed();
      return new Result(MergeOutcome.OUTPUT_FAILED, null);
    }
    if (!batch.log().completeMerge(batch, file, merged.fileOffsets())) {
      counters.mergeCancelled();
      return new Result(MergeOutcome.STALE, null);
    }
    counters.merged(inputs.size(), merged.bytesRead(), merged.length());
    return new Result(MergeOutcome.MERGED, null);
  }

  /** Opens the inputs, whose channels belong to their files. */
  private static List<RunReader> open(List<StoredRun> inputs) throws MergeInputException {
    List<RunReader> readers = new ArrayList<>(inputs.size());
    for (StoredRun input : inputs) {
      try {
        readers.add(RunReader.borrow(input.channel(), input.toString()));
      } catch (IOException e) {
        throw new MergeInputException(readers.size(), input.toString(), e);
      }
    }
    return readers;
  }

  private static RunMerger.Merged write(
      MergeBatch batch,
      List<RunReader> inputs,
      RunId run,
      Disk output,
      ByteBuffer memory,
      RunMerger.Checkpoint checkpoint)
      throws IOException {
    ShuffleKey key = batch.log().key();
    try (Storage.NewFile file =
        output.storage().create(RunFiles.fileName(run), key.application())) {
      RunMerger merger =
          new RunMerger(inputs, memory, KERNEL_COPY_FROM_BYTES, file.channel(), checkpoint);
      RunMerger.Merged merged =
          merger.merge(
              new RunHeader(run, batch.order(), key.application(), key.shuffle()),
              batch,
              RunMerger.replacedBy(inputs));
      file.commit();
      return merged;
    }
  }

  private static RunRecord record(
      MergeBatch batch, List<RunReader> inputs, RunId run, long length) {
    return new RunRecord(
        run, batch.log().key(), batch.order(), length, RunMerger.replacedBy(inputs));
  }

  /**
   * Registers the merged run with at least the durability of its inputs, which may be synced and
   * are deleted next. On failure the merge fails and its file is deleted.
   */
  private RunFile register(RunRecord run, Disk disk) throws IOException {
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
    RunFile file = files.add(disk, run);
    boolean kept = false;
    try {
      DiskSync.sync(disk);
      kept = true;
      return file;
    } finally {
      if (!kept) {
        file.discard();
      }
    }
  }
}
