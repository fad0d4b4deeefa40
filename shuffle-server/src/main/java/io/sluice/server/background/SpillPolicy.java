package io.sluice.server.background;

import io.sluice.server.memory.MemoryPressure;

/**
 * When to spill, and how much: begins when memory is tight and goes on until it is down to its
 * target, counting what is being written as free already. Not thread-safe; no clock, no files.
 */
public final class SpillPolicy {
  private final SpillConfig config;
  private boolean active;

  public SpillPolicy(SpillConfig config) {
    this.config = config;
  }

  /**
   * Bytes of memory that should be spilled beyond those that are being written; 0 for none.
   *
   * @param bufferedBytes bytes of memory that could be spilled
   * @param spillingBytes bytes of memory that are being written
   * @param bufferedExtents log entries of what could be spilled
   */
  public long bytesToSpill(
      MemoryPressure pressure, long bufferedBytes, long spillingBytes, long bufferedExtents) {
    MemoryPressure after =
        new MemoryPressure(
            Math.max(0, pressure.usedBytes() - spillingBytes),
            pressure.capacityBytes(),
            pressure.highBytes(),
            pressure.lowBytes(),
            pressure.wantedBytes());
    long tooMany = after.usedBytes() - after.targetBytes();
    boolean extentsFit = bufferedExtents <= config.maxBufferedExtents() / 2;
    if (after.tight() || bufferedExtents > config.maxBufferedExtents()) {
      active = true;
    } else if (extentsFit && (tooMany <= 0 || bufferedBytes < leastRunBytes())) {
      // The rest of what is used is on its way in or out, and cannot be spilled: going on would
      // write every frame that arrives as a run of its own.
      active = false;
    }
    if (!active) {
      return 0;
    }
    // Too many entries but little memory: whatever the largest shuffle has.
    return Math.max(0, Math.max(tooMany, extentsFit ? 0 : config.maxRunBytes()));
  }

  SpillConfig config() {
    return config;
  }

  /** What was being written is in memory still: go on down to the target. */
  public void writeFailed() {
    active = true;
  }

  /** Size of the next run when {@code bytesToSpill} are to go: not much more than needed. */
  public long runBytes(long bytesToSpill) {
    return Math.min(config.maxRunBytes(), Math.max(bytesToSpill, leastRunBytes()));
  }

  private long leastRunBytes() {
    return config.maxRunBytes() / 4;
  }
}
