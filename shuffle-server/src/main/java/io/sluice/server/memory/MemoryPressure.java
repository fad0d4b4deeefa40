package io.sluice.server.memory;

/**
 * Snapshot of the memory budget's usage.
 *
 * @param usedBytes bytes of slabs in use
 * @param capacityBytes bytes of the arena that can be allocated
 * @param highBytes high watermark: spilling starts above it
 * @param lowBytes low watermark: spilling stops at it
 * @param wantedBytes bytes that must be free for the next waiting body; 0 if none waits
 */
public record MemoryPressure(
    long usedBytes, long capacityBytes, long highBytes, long lowBytes, long wantedBytes) {

  /**
   * Whether memory should be freed: usage is above the high watermark, or a body waits for more
   * memory than is free.
   */
  public boolean tight() {
    return usedBytes > highBytes || wantedBytes > capacityBytes - usedBytes;
  }

  /** Usage at which spilling stops after memory was {@link #tight}. */
  public long targetBytes() {
    return Math.max(0, Math.min(lowBytes, capacityBytes - wantedBytes));
  }
}
