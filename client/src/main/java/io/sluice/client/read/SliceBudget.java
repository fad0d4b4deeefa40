package io.sluice.client.read;

import io.sluice.client.server.DirectMemory;

/**
 * Counts the slices of one read from the request until they are parsed, and decides whether another
 * one may be fetched. Owned by the task thread.
 */
final class SliceBudget {
  private final ReadConfig config;
  private final SliceMemory taskMemory;
  private final DirectMemory processMemory;
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
   * without free memory.
   */
  boolean hasRoom() {
    return slices == 0
        || (slices < config.slicesInFlight()
            && processMemory.hasRoom(config.sliceBytes())
            && grantedBytes >= bytes);
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

  private void count(int delta) {
    bytes += delta;
    processMemory.add(delta);
    grantedBytes = taskMemory.account(bytes);
  }
}
