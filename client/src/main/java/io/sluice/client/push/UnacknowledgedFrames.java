package io.sluice.client.push;

import io.sluice.client.server.DirectMemory;

/**
 * Counts the frames of a session that are in memory until servers acknowledge them. Owned by the
 * task thread.
 */
final class UnacknowledgedFrames {
  private final DirectMemory memory;
  private int count;
  private long bytes;

  /**
   * @param memory counter of the process
   */
  UnacknowledgedFrames(DirectMemory memory) {
    this.memory = memory;
  }

  void add(Frame frame) {
    count++;
    memory.add(frame.memoryBytes());
    bytes += frame.memoryBytes();
  }

  /** Drops a reference to a frame, and no longer counts it if that was the last. */
  void release(Frame frame) {
    if (frame.release()) {
      count--;
      memory.add(-frame.memoryBytes());
      bytes -= frame.memoryBytes();
    }
  }

  int count() {
    return count;
  }

  long bytes() {
    return bytes;
  }
}
