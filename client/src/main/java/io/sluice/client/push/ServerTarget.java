package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.server.DirectMemory;
import io.sluice.client.server.TaskEnvironment;
import io.sluice.client.server.TaskLoop;
import java.io.IOException;

/**
 * Sends frames to shuffle servers, and waits for their acknowledgements. Belongs to the task
 * thread; every wait ends by a deadline or by interruption.
 */
final class ServerTarget implements FrameTarget {
  private final TaskLoop<FrameSender.Event> loop;
  private final FrameSender sender;
  private final HeldFrames held;
  private final long inFlightBytes;
  private final DirectMemory memory;

  /**
   * @param options borrows what is in it
   * @param blocksAreSafe whether the blocks are stored elsewhere
   */
  ServerTarget(
      ShuffleAssignment assignment,
      MapAttempt attempt,
      PushConfig config,
      PushOptions options,
      boolean blocksAreSafe,
      TaskEnvironment environment,
      PushWindows windows) {
    this.loop = new TaskLoop<>(environment.time(), event -> {});
    this.sender =
        new FrameSender(
            assignment, attempt, config, options, blocksAreSafe, environment, windows, loop::put);
    this.held = sender.held();
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
   * {@inheritDoc} Waits, too, while the process holds more direct memory than it may.
   *
   * @throws PushFailedException if too few servers accept the frame and there is no local output
   */
  @Override
  public void send(int set, ByteBuf body) throws IOException {
    sender.enqueue(set, body);
    advance();
    awaitHeldAtMost(inFlightBytes);
    while (held.count() > 0 && memory.isExceeded()) {
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
    awaitHeldAtMost(0);
  }

  @Override
  public long heldBytes() {
    return held.bytes();
  }

  @Override
  public void awaitHeldAtMost(long bytes) throws IOException {
    while (held.bytes() > bytes && held.count() > 0) {
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
