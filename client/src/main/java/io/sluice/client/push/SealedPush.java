package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.server.TaskEnvironment;
import java.io.IOException;

/**
 * Sends blocks of one map attempt that were sealed before and are safe already, such as those of
 * its local output: what no server takes is left where it is. Owned by one thread; only that thread
 * ever waits here, and every wait ends by a deadline or by interruption.
 */
public final class SealedPush implements AutoCloseable {
  private final ReplicaSets sets;
  private final ServerTarget target;
  private final int frameBytes;
  private long leftBytes;

  /**
   * @param replacementServers where to ask when a server fails or is full; null: nowhere
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
            new PushOptions(null, replacementServers, body -> leftBytes += body.readableBytes()),
            true,
            environment,
            windows);
    this.sets = target.sets();
  }

  /** Bytes that no server took. */
  public long leftBytes() {
    return leftBytes;
  }

  /** Whether at least one server accepts frames of a set. */
  public boolean hasTarget(int set) {
    return target.hasTarget(set);
  }

  /** Most bytes of a frame. */
  public int frameBytes() {
    return frameBytes;
  }

  /** Partitions of one set may share frames. */
  public int setCount() {
    return sets.count();
  }

  /** The set that a partition belongs to. */
  public int setOf(int partition) {
    return sets.setOf(partition);
  }

  /**
   * Sends a frame, after waiting while as much as may be is in flight.
   *
   * @param set that all its partitions belong to
   * @param body takes: whole sealed blocks, those of one partition adjacent
   * @throws PushFailedException if a server has lost what it took: what was sent can no longer
   *     become whole, and this push is of no more use
   * @throws java.io.InterruptedIOException if the thread was interrupted; its flag stays set
   */
  public void send(int set, ByteBuf body) throws IOException {
    target.send(set, body);
  }

  /** Waits until everything is acknowledged; throws as {@link #send}. */
  public void finish() throws IOException {
    target.finish();
  }

  /** Gives up what has not been acknowledged and frees all memory. Never waits. Idempotent. */
  @Override
  public void close() {
    target.close();
  }
}
