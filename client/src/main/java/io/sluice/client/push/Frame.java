package io.sluice.client.push;

import io.netty.buffer.ByteBuf;

/** A sealed frame, held until every server of its set has it. Owned by the task thread. */
final class Frame {
  private final long number;
  private final int set;
  private final ByteBuf body;
  private final int heldBytes;
  private int replicas;

  /**
   * @param number in the order of cutting
   * @param body takes
   */
  Frame(long number, int set, ByteBuf body) {
    this.number = number;
    this.set = set;
    this.body = body;
    this.heldBytes = body.capacity();
  }

  long number() {
    return number;
  }

  int set() {
    return set;
  }

  int length() {
    return body.readableBytes();
  }

  /** What the frame costs, which is more than its length. */
  int heldBytes() {
    return heldBytes;
  }

  /** Returns owned: a view of its own of the same bytes. */
  ByteBuf body() {
    return body.retainedDuplicate();
  }

  void addReplica() {
    replicas++;
  }

  /** One server less has to acknowledge it; true when that was the last, and the frame is freed. */
  boolean releaseReplica() {
    if (--replicas > 0) {
      return false;
    }
    body.release();
    return true;
  }
}
