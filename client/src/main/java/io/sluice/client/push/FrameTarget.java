package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/** Where the frames of a push session go: to servers or to local output. Belongs to one thread. */
interface FrameTarget extends AutoCloseable {
  /** The sets that frames are cut for. */
  FrameSets sets();

  /**
   * Handles what has happened since, without waiting; whether frames are to be cut for other sets
   * from now on: then every open frame is sent, and {@link #switchSets} called.
   */
  boolean poll() throws IOException;

  /** Uses the other sets, and returns them. */
  FrameSets switchSets();

  /**
   * Sends a frame; waits while the target holds as many bytes as it may.
   *
   * @param body takes
   */
  void send(int set, ByteBuf body) throws IOException;

  /** Waits until every frame is safe. */
  void finish() throws IOException;

  /** Direct memory of the frames that are not safe yet, in bytes. */
  long heldBytes();

  /** Waits until the frames that are not safe take at most a number of bytes. */
  void awaitHeldAtMost(long bytes) throws IOException;

  PushCounters counters(BlockFramer framer);

  /** Frees every frame. Never waits. Idempotent. */
  @Override
  void close();
}
