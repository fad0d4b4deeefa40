package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.coordinator.ShuffleAssignment;
import java.io.IOException;
import java.util.function.Consumer;

/** A push session over pooled connections. Owned by the task thread. */
public final class FramePushSession extends FramingSession {
  private final FrameSender sender;
  private final Consumer<PushCounters> onClose;

  /**
   * @param options borrows what is in it
   * @param onClose told once, with the final counters
   */
  public FramePushSession(
      ShuffleAssignment assignment,
      MapAttempt attempt,
      PushOptions options,
      PushConfig config,
      PushEnvironment environment,
      ByteBufAllocator allocator,
      Consumer<PushCounters> onClose) {
    super(assignment.partitionCount(), attempt, options, config, allocator, environment.memory());
    this.sender = new FrameSender(assignment, attempt, config, options, false, environment);
    this.onClose = onClose;
  }

  @Override
  FrameSets sets() {
    return sender.sets();
  }

  @Override
  void frame(int set, ByteBuf body) throws IOException {
    sender.send(set, body);
  }

  /** What was cut for servers that partitions have left is sent first. */
  @Override
  void beforeAdd(BlockFramer framer) throws IOException {
    sender.poll();
    if (sender.hasNewSets()) {
      framer.cutAll();
      framer.use(sender.switchSets());
    }
  }

  @Override
  void afterLast() throws IOException {
    sender.drain();
  }

  @Override
  PushCounters counters(BlockFramer framer) {
    return sender.counters(framer);
  }

  @Override
  public long heldBytes() {
    return sender.heldBytes() + super.heldBytes();
  }

  @Override
  public void awaitHeldAtMost(long bytes) throws IOException {
    whileOpen(() -> sender.awaitHeldAtMost(bytes));
  }

  @Override
  void closed() {
    sender.close();
    onClose.accept(counters());
  }
}
