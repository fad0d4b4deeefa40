package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/** Destination of the frames of a push session: servers or local output. Owned by one thread. */
interface FrameTarget extends AutoCloseable {
  /** The current sets of partitions that may share frames. */
  FrameSets sets();

  /**
   * Handles events without waiting.
   *
   * @return whether the sets have changed; the caller then sends every open frame and calls {@link
   *     #switchSets}
   */
  boolean poll() throws IOException;

  /** Uses the changed sets from now on, and returns them. */
  FrameSets switchSets();

  /**
   * Sends a frame, then waits while the unacknowledged frames exceed the limit of the session.
   *
   * @param body takes
   */
  void send(int set, ByteBuf body) throws IOException;

  /** Waits until every frame is acknowledged or in local output. */
  void finish() throws IOException;

  /** Memory of the unacknowledged frames, in bytes. */
  long unacknowledgedBytes();

  /** Waits until the unacknowledged frames use at most {@code bytes} of memory. */
  void awaitUnacknowledgedAtMost(long bytes) throws IOException;

  PushCounters counters(BlockFramer framer);

  /** Frees every frame. Never waits. Idempotent. */
  @Override
  void close();
}
