package io.sluice.server.memory;

/** A push that waits for memory. Guarded by the lock of the {@link MemoryBudget}. */
final class MemoryWaiter {
  final MemoryUse use;
  final int slabs;
  final Runnable retry;
  long grantedAtNanos;
  boolean hasGrant;

  /**
   * @param retry called without the lock when the memory is granted
   */
  MemoryWaiter(MemoryUse use, int slabs, Runnable retry) {
    this.use = use;
    this.slabs = slabs;
    this.retry = retry;
  }
}
