package io.sluice.server.memory;

/**
 * How the budget stands, at one moment.
 *
 * @param usedBytes bytes of slabs in use
 * @param capacityBytes bytes of the arena
 * @param highBytes spill when more than this is used
 * @param lowBytes spill down to this
 * @param wantedBytes bytes that the next waiting body needs; 0 when none waits
 */
public record MemoryPressure(
    long usedBytes, long capacityBytes, long highBytes, long lowBytes, long wantedBytes) {

  /** Whether memory should be freed: above the high mark, or a body waits for more than is free. */
  public boolean tight() {
    return usedBytes > highBytes || wantedBytes > capacityBytes - usedBytes;
  }

  /** Once {@link #tight}, how far usage should go down. */
  public long targetBytes() {
    return Math.max(0, Math.min(lowBytes, capacityBytes - wantedBytes));
  }
}
