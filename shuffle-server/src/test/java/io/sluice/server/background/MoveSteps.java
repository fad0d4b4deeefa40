package io.sluice.server.background;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/** Single moves, for tests of other packages that control the schedule. */
public final class MoveSteps {
  private MoveSteps() {}

  /**
   * Moves a run on the calling thread.
   *
   * @param chunk borrows: buffer of the copy
   * @param gate called before each chunk; false cancels the move
   * @return whether the run is on the target now
   */
  public static boolean move(
      RunFiles files, RunFile run, Disk target, ByteBuffer chunk, BooleanSupplier gate) {
    return new RunMover(files, (disk, bytes) -> gate.getAsBoolean(), chunk).move(run, target);
  }
}
