package io.sluice.server.background;

import io.sluice.server.memory.MemoryPressure;

/**
 * Decides when to spill and how much: starts at the high watermark and continues to the low
 * watermark, counting bytes being written as free. Not thread-safe; uses no clock and no files.
 */
public final class SpillPolicy {
  private final SpillConfig config;
  private boolean active;

  public SpillPolicy(SpillConfig config) {
    this.config = config;
  }

  /**
   * Bytes to spill in addition to those being written.
   *
   * @param bufferedBytes bytes in memory that can be spilled
   * @param spillingBytes bytes in memory that are being written
   * @param bufferedExtents log entries of the bytes that can be spilled
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
    } else if (extentsFit && (tooMany <= 0 || bufferedBytes < minRunBytes())) {
      // The other used bytes are being received or written and cannot be spilled: continuing would
      // write each arriving frame as a separate run.
      active = false;
    }
    if (!active) {
      return 0;
    }
    // Too many entries but little memory: spill the largest shuffle.
    return Math.max(0, Math.max(tooMany, extentsFit ? 0 : config.maxRunBytes()));
  }

  SpillConfig config() {
    return config;
  }

  /**
   * Continues spilling to the low watermark, because the bytes of the failed write are still in
   * memory.
   */
  public void writeFailed() {
    active = true;
  }

  /**
   * Length of the next run if {@code bytesToSpill} bytes must be spilled: not much more than
   * needed.
   */
  public long runBytes(long bytesToSpill) {
    return Math.min(config.maxRunBytes(), Math.max(bytesToSpill, minRunBytes()));
  }

  private long minRunBytes() {
    return config.maxRunBytes() / 4;
  }
}
