package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * A sealed frame, held until every server that it was given to has it. Owned by the task thread.
 */
final class Frame {
  private final long number;
  private final int[] servers;
  private final ByteBuf body;
  private final int heldBytes;
  private final List<PushServer> given = new ArrayList<>(1);
  private int holders = 1;
  private boolean local;

  /**
   * Held by its maker, who calls {@link #release} once it has been given to everybody.
   *
   * @param number in the order of cutting
   * @param servers that it was cut for, by index; not changed
   * @param body takes
   */
  Frame(long number, int[] servers, ByteBuf body) {
    this.number = number;
    this.servers = servers;
    this.body = body;
    this.heldBytes = body.capacity();
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

  /** What the frame costs, which is more than its length. */
  int heldBytes() {
    return heldBytes;
  }

  /** Returns owned: a view of its own of the same bytes. */
  ByteBuf body() {
    return body.retainedDuplicate();
  }

  /** Lends the bytes. */
  ByteBuf lentBody() {
    return body;
  }

  /** Notes that a lane gets it; false if that lane has had it before. */
  boolean give(PushServer lane) {
    return !given.contains(lane) && given.add(lane);
  }

  boolean isLocal() {
    return local;
  }

  /** It is in local output as well. */
  void keptLocally() {
    local = true;
  }

  /** One more has to let go of it before it is freed. */
  void retain() {
    holders++;
  }

  /** One less; true when that was the last, and the frame is freed. */
  boolean release() {
    if (--holders > 0) {
      return false;
    }
    body.release();
    return true;
  }
}
