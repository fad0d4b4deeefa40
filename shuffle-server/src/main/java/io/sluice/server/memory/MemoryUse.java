package io.sluice.server.memory;

import java.util.ArrayDeque;

/**
 * Memory usage of one application: slabs in use, unclaimed grants, and waiting pushes. Guarded by
 * the lock of the {@link MemoryBudget}.
 */
final class MemoryUse {
  final String application;
  final ArrayDeque<MemoryWaiter> queue = new ArrayDeque<>();
  int slabs;
  int grants;
  int grantedSlabs;
  // Number of expired grants: this number of later waiters is added to the front of the queue.
  int displaced;
  boolean limited;

  MemoryUse(String application, boolean limited) {
    this.application = application;
    this.limited = limited;
  }
}
