package io.sluice.client.read;

import io.sluice.client.server.DirectMemory;

/**
 * Counts the memory of one read: slices from the request until they are parsed, and held blocks.
 * Decides whether another slice may be fetched. Owned by the task thread.
 */
final class SliceBudget {
  private final ReadConfig config;
  private final SliceMemory taskMemory;
  private final DirectMemory processMemory;
  private boolean mayHold;
  private int slices;
  private long bytes;
  private long grantedBytes;

  SliceBudget(ReadConfig config, SliceMemory taskMemory, DirectMemory processMemory) {
    this.config = config;
    this.taskMemory = taskMemory;
    this.processMemory = processMemory;
  }

  /**
   * Whether another slice may be fetched. The first one always may, so that a read progresses even
   * without free memory. Held blocks count against the memory of the slices.
   */
  boolean hasRoom() {
    return slices == 0
        || (slices < config.slicesInFlight()
            && bytes + reserved() <= (long) config.slicesInFlight() * config.sliceBytes()
            && processMemory.hasRoom(config.sliceBytes())
            && grantedBytes >= bytes);
  }

  /** Bytes of one more slice, and of the copies of its blocks if these may have to wait. */
  private long reserved() {
    return mayHold ? 2L * config.sliceBytes() : config.sliceBytes();
  }

  /** Sets whether blocks of slices may have to wait for their turn, as copies. */
  void mayHold(boolean may) {
    mayHold = may;
  }

  /** Adds a slice before it is fetched. */
  void add(Slice slice) {
    slices++;
    count(slice.length());
  }

  /** Frees a slice and no longer counts it. */
  void drop(Slice slice) {
    slice.release();
    slices--;
    count(-slice.length());
  }

  /** Frees all slices of a server. */
  void dropAll(ReadServer server) {
    server.slices().forEach(this::drop);
    server.slices().clear();
  }

  /** Whether the process has room for more memory of blocks that wait for their turn. */
  boolean hasRoomToHold(int moreBytes) {
    return processMemory.hasRoom(moreBytes);
  }

  /** Counts memory of blocks that wait for their turn, which are no longer parts of slices. */
  void hold(int heldBytes) {
    count(heldBytes);
  }

  /** No longer counts memory of blocks that have waited for their turn. */
  void unhold(int heldBytes) {
    count(-heldBytes);
  }

  private void count(int delta) {
    bytes += delta;
    processMemory.add(delta);
    grantedBytes = taskMemory.account(bytes);
  }
}
