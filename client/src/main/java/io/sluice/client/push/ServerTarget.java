package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.server.DirectMemory;
import io.sluice.client.server.TaskEnvironment;
import io.sluice.client.server.TaskLoop;
import java.io.IOException;

/**
 * Sends frames to shuffle servers, and waits for their acknowledgements: runs a {@link FrameSender}
 * in a task loop. Owned by the task thread; every wait ends at a deadline or by interruption.
 */
final class ServerTarget implements FrameTarget {
  private final TaskLoop<FrameSender.Event> loop;
  private final FrameSender sender;
  private final UnacknowledgedFrames unacknowledged;
  private final long inFlightBytes;
  private final DirectMemory memory;

  /**
   * @param options borrows its members
   * @param hasLocalCopy whether the blocks are also in a local file
   */
  ServerTarget(
      ShuffleAssignment assignment,
      MapAttempt attempt,
      PushConfig config,
      PushOptions options,
      boolean hasLocalCopy,
      TaskEnvironment environment,
      PushWindows windows) {
    this.loop = new TaskLoop<>(environment.time(), event -> {});
    this.sender =
        new FrameSender(
            assignment, attempt, config, options, hasLocalCopy, environment, windows, loop::put);
    this.unacknowledged = sender.unacknowledged();
    this.inFlightBytes = config.inFlightBytes();
    this.memory = environment.memory();
  }

  @Override
  public ReplicaSets sets() {
    return sender.failover().sets();
  }

  @Override
  public boolean poll() throws IOException {
    loop.handleArrived(sender);
    return sender.failover().hasNewSets();
  }

  @Override
  public ReplicaSets switchSets() {
    return sender.failover().switchSets();
  }

  /**
   * {@inheritDoc} Also waits while the direct memory of the process exceeds its limit.
   *
   * @throws PushFailedException if too few servers accept the frame and there is no local output
   */
  @Override
  public void send(int set, ByteBuf body) throws IOException {
    sender.enqueue(set, body);
    advance();
    awaitUnacknowledgedAtMost(inFlightBytes);
    while (unacknowledged.count() > 0 && memory.isExceeded()) {
      loop.await(sender);
    }
  }

  private void advance() throws IOException {
    if (!loop.handleArrived(sender)) {
      sender.advance(loop.now());
    }
  }

  @Override
  public void finish() throws IOException {
    advance();
    awaitUnacknowledgedAtMost(0);
  }

  @Override
  public long unacknowledgedBytes() {
    return unacknowledged.bytes();
  }

  @Override
  public void awaitUnacknowledgedAtMost(long bytes) throws IOException {
    while (unacknowledged.bytes() > bytes && unacknowledged.count() > 0) {
      loop.await(sender);
    }
  }

  /** Whether at least one server accepts frames of a set. */
  boolean hasTarget(int set) {
    return sender.failover().hasTarget(set);
  }

  @Override
  public PushCounters counters(BlockFramer framer) {
    return sender.counters(framer, loop.waitedNanos());
  }

  @Override
  public void close() {
    loop.close();
    sender.close();
  }
}
