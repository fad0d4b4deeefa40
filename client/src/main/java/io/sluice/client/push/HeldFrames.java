package io.sluice.client.push;

/** Counts the frames of a session that are held. Owned by the task thread. */
final class HeldFrames {
  private int count;
  private long bytes;

  void add(Frame frame) {
    count++;
    bytes += frame.heldBytes();
  }

  /** Lets go of a frame once, and forgets it when nobody holds it any more. */
  void release(Frame frame) {
    if (frame.release()) {
      count--;
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
