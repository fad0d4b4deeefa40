package io.sluice.server.background;

import io.sluice.server.disk.Disk;
import io.sluice.server.disk.RunFile;
import io.sluice.server.disk.RunFiles;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/** Single moves, for tests of other packages that decide themselves what moves and when. */
public final class MoveSteps {
  private MoveSteps() {}

  /**
   * Moves a run on the calling thread.
   *
   * @param chunk borrows: is copied through
   * @param goOn asked before each chunk; false gives the move up
   * @return whether it lies on the target now
   */
  public static boolean move(
      RunFiles files, RunFile run, Disk target, ByteBuffer chunk, BooleanSupplier goOn) {
    return new RunMover(files, (disk, bytes) -> goOn.getAsBoolean(), chunk).move(run, target);
  }
}
