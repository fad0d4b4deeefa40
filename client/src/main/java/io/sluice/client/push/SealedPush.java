package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.server.TaskEnvironment;
import java.io.IOException;

/**
 * Sends sealed blocks of one map attempt that are also in its local output. Blocks that no server
 * accepts remain in local output only. Owned by one thread. Only that thread waits, and every wait
 * ends at a deadline or by interruption.
 */
public final class SealedPush implements AutoCloseable {
  private final ReplicaSets sets;
  private final ServerTarget target;
  private final int frameBytes;
  private long rejectedBytes;

  /**
   * @param replacementServers source of servers after one fails or is full; null for none
   */
  public SealedPush(
      ShuffleAssignment assignment,
      MapAttempt attempt,
      PushConfig config,
      ReplacementServers replacementServers,
      TaskEnvironment environment,
      PushWindows windows) {
    this.frameBytes = config.frameBytes();
    this.target =
        new ServerTarget(
            assignment,
            attempt,
            config,
            new PushOptions(
                null, replacementServers, body -> rejectedBytes += body.readableBytes()),
            true,
            environment,
            windows);
    this.sets = target.sets();
  }

  /** Bytes that no server accepted. */
  public long rejectedBytes() {
    return rejectedBytes;
  }

  /** Whether at least one server accepts frames of a set. */
  public boolean hasTarget(int set) {
    return target.hasTarget(set);
  }

  /** Maximum bytes of a frame. */
  public int frameBytes() {
    return frameBytes;
  }

  /** Number of sets of partitions that may share frames. */
  public int setCount() {
    return sets.count();
  }

  /** The set that a partition belongs to. */
  public int setOf(int partition) {
    return sets.setOf(partition);
  }

  /**
   * Sends a frame, then waits while the unacknowledged frames exceed the limit.
   *
   * @param set set of all partitions in the frame
   * @param body takes: whole sealed blocks, those of one partition adjacent
   * @throws PushFailedException if a server lost acknowledged blocks: the pushed copy can no longer
   *     be completed, and this object cannot be used afterwards
   * @throws java.io.InterruptedIOException if the thread was interrupted; its flag stays set
   */
  public void send(int set, ByteBuf body) throws IOException {
    target.send(set, body);
  }

  /** Waits until every frame is acknowledged; throws as {@link #send}. */
  public void finish() throws IOException {
    target.finish();
  }

  /** Discards all unacknowledged frames and frees all memory. Never waits. Idempotent. */
  @Override
  public void close() {
    target.close();
  }
}
