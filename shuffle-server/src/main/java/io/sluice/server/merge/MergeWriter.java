package io.sluice.server.merge;

import io.sluice.common.run.MergeInputException;
import io.sluice.common.run.RunHeader;
import io.sluice.common.run.RunId;
import io.sluice.common.run.RunMerger;
import io.sluice.common.run.RunReader;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.log.MergeBatch;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.StoredRun;
import io.sluice.server.storage.Disk;
import io.sluice.server.storage.RunFile;
import io.sluice.server.storage.RunFiles;
import io.sluice.server.storage.Storage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Merges once, on the calling thread: writes the merged run, registers it in the catalog of its
 * disk in the place of its inputs, then lets the log point to it. Thread-safe if its random
 * generator is.
 */
public final class MergeWriter {
  private static final Logger LOG = LoggerFactory.getLogger(MergeWriter.class);

  /** From here on the kernel copies an extent as fast as it would come through a buffer. */
  private static final long KERNEL_COPY_FROM_BYTES = 1 << 20;

  /** Is told of runs that cannot be merged; may keep them. */
  public interface InputFailure {
    /**
     * @param run still referred to by its log
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

  /** How a merge ended, and the merged run if there is one. */
  record Result(MergeOutcome outcome, StoredRun merged) {}

  /**
   * Merges a batch; whatever happens, the batch is ended.
   *
   * @param batch takes
   * @param output the disk to write to
   * @param memory borrows: read buffers
   * @param checkpoint is called between two pieces of work; to end the merge it throws {@link
   *     MergeCancelledException}
   */
  Result merge(
      MergeBatch batch, Disk output, ByteBuffer memory, RunMerger.Checkpoint checkpoint) {
    boolean ended = false;
    RunId run = RunId.random(random);
    try (MergeInputs inputs = new MergeInputs()) {
      inputs.open(batch);
      RunMerger.Merged merged = write(batch, inputs.readers(), run, output, memory, checkpoint);
      register(batch, inputs.readers(), run, merged.length(), output);
      ended = true;
      return new Result(complete(batch, inputs.readers(), run, merged, output), lastMerged);
    } catch (MergeCancelledException e) {
      counters.cancelled();
      return new Result(MergeOutcome.CANCELLED, null);
    } catch (MergeInputException e) {
      counters.failed();
      RunFile input = (RunFile) batch.inputs().get(e.input());
      LOG.warn("run cannot be merged file={} problem={}", input, e.getCause().toString());
      inputFailure.failed(input, e);
      return new Result(MergeOutcome.INPUT_FAILED, null);
    } catch (IOException e) {
      counters.failed();
      output.writeFailed(e);
      return new Result(MergeOutcome.OUTPUT_FAILED, null);
    } finally {
      if (!ended) {
        batch.log().abortMerge(batch);
      }
    }
  }
}
