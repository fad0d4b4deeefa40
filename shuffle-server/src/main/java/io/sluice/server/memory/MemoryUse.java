package io.sluice.server.memory;

import java.util.ArrayDeque;

/**
 * The memory of one application: slabs in use, grants that it has not claimed, and its pushes that
 * wait. Guarded by the lock of the {@link MemoryBudget}.
 */
final class MemoryUse {
  final String application;
  final ArrayDeque<MemoryWaiter> queue = new ArrayDeque<>();
  int slabs;
  int grants;
  int grantedSlabs;
  // Grants that ran out: as many of the next waiters go to the front of the queue.
  int displaced;
  boolean limited;

  MemoryUse(String application, boolean limited) {
    this.application = application;
    this.limited = limited;
  }
}
