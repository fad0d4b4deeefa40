package io.sluice.server.background;

import io.sluice.server.disk.Disks;
import io.sluice.server.disk.RunFiles;
import io.sluice.server.observe.ServerCounters;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/** A demoter without threads, for tests of other packages that control the schedule. */
public final class DemotionSteps {
  private static final long UNLIMITED = 1L << 50;

  private DemotionSteps() {}

  /**
   * Returns a task that demotes runs from every full disk, on the calling thread.
   *
   * @param bufferBytes length of the buffer of a copy
   */
  public static Runnable of(
      Disks disks,
      RunFiles files,
      ServerCounters counters,
      LongSupplier nanoTime,
      int bufferBytes) {
    Demoter demoter =
        new Demoter(
            disks, files, UNLIMITED, counters, nanoTime, () -> ByteBuffer.allocate(bufferBytes));
    return demoter::demote;
  }
}
