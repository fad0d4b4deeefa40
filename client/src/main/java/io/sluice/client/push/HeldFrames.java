package io.sluice.client.push;

import io.sluice.client.server.DirectMemory;

/** Counts the frames of a session that are held. Owned by the task thread. */
final class HeldFrames {
  private final DirectMemory memory;
  private int count;
  private long bytes;

  /**
   * @param memory of the process
   */
  HeldFrames(DirectMemory memory) {
    this.memory = memory;
  }

  void add(Frame frame) {
    count++;
    memory.add(frame.heldBytes());
    bytes += frame.heldBytes();
  }

  /** Lets go of a frame once, and forgets it when nobody holds it any more. */
  void release(Frame frame) {
    if (frame.release()) {
      count--;
      memory.add(-frame.heldBytes());
      bytes -= frame.heldBytes();
    }
  }

  int count() {
    return count;
  }

  long bytes() {
    return bytes;
  }
}
