package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * A sealed frame. It is reference-counted: its creator and every queue that contains it have one
 * reference, and the last {@link #release} frees the body. Owned by the task thread.
 */
final class Frame {
  private final long number;
  private final int[] servers;
  private final ByteBuf body;
  private final int memoryBytes;
  private final List<PushServer> targets = new ArrayList<>(1);
  private int references = 1;
  private boolean local;

  /**
   * Creates a frame with one reference for the caller, who releases it after queueing the frame.
   *
   * @param number position in the order of creation
   * @param servers indexes of the servers of its replica set; not changed
   * @param body takes
   */
  Frame(long number, int[] servers, ByteBuf body) {
    this.number = number;
    this.servers = servers;
    this.body = body;
    this.memoryBytes = body.capacity();
  }

  long number() {
    return number;
  }

  /** Not to be changed. */
  int[] servers() {
    return servers;
  }

  int length() {
    return body.readableBytes();
  }

  /** Allocated memory of the frame, which is at least its length. */
  int memoryBytes() {
    return memoryBytes;
  }

  /** Returns owned: a view of the bytes with its own indexes. */
  ByteBuf body() {
    return body.retainedDuplicate();
  }

  /** Lends the bytes. */
  ByteBuf lentBody() {
    return body;
  }

  /** Records a server as a target; false if it was one before. */
  boolean addTarget(PushServer server) {
    return !targets.contains(server) && targets.add(server);
  }

  boolean isLocal() {
    return local;
  }

  /** Records that the frame is in local output. */
  void storedLocally() {
    local = true;
  }

  /** Adds a reference. */
  void retain() {
    references++;
  }

  /** Drops a reference; true if it was the last and the frame is freed. */
  boolean release() {
    if (--references > 0) {
      return false;
    }
    body.release();
    return true;
  }
}
