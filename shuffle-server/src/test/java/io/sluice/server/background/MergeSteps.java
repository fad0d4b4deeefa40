package io.sluice.server.background;

import io.sluice.common.run.RunMerger;
import io.sluice.server.disk.Disk;
import io.sluice.server.log.MergeBatch;
import java.nio.ByteBuffer;

/** Single merges, for tests of other packages that control the schedule. */
public final class MergeSteps {
  private MergeSteps() {}

  /**
   * Merges a batch on the calling thread.
   *
   * @param batch takes
   */
  public static MergeOutcome merge(
      MergeWriter writer,
      MergeBatch batch,
      Disk output,
      ByteBuffer memory,
      RunMerger.Checkpoint checkpoint) {
    return writer.merge(batch, output, memory, checkpoint).outcome();
  }
}
