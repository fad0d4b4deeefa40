package io.sluice.server.spill;

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
   * @param spillingBytes bytes of memory that are being written
   * @param bufferedExtents log entries in memory that are not being written
   */
  public long bytesToSpill(MemoryPressure pressure, long spillingBytes, long bufferedExtents) {
    MemoryPressure after =
        new MemoryPressure(
            Math.max(0, pressure.usedBytes() - spillingBytes),
            pressure.capacityBytes(),
            pressure.highBytes(),
            pressure.lowBytes(),
            pressure.wantedBytes());
    if (after.tight() || bufferedExtents > config.maxBufferedExtents()) {
      active = true;
    }
    long tooMany = after.usedBytes() - after.targetBytes();
    boolean extentsFit = bufferedExtents <= config.maxBufferedExtents() / 2;
    if (tooMany <= 0 && extentsFit) {
      active = false;
    }
    if (!active) {
      return 0;
    }
    // Too many entries but little memory: whatever the largest shuffle has.
    return Math.max(tooMany, extentsFit ? 0 : config.maxRunBytes());
  }

  /** Size of the next run when {@code bytesToSpill} are to go: not much more than needed. */
  public long runBytes(long bytesToSpill) {
    return Math.min(config.maxRunBytes(), Math.max(bytesToSpill, config.maxRunBytes() / 4));
  }
}
