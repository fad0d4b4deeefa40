package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.memory.DirectMemory;
import java.io.IOException;
import java.util.Objects;

/**
 * A session whose blocks all go to local output and none to a server: the same blocks, numbered and
 * marked the same way, so that they can be pushed from there as they are. Sends nothing and never
 * waits. Owned by the task thread.
 */
public final class LocalSession extends FramingSession {
  private final FrameSets sets;
  private final LocalSink sink;
  private long frames;

  /**
   * @param options borrows what is in it; its local sink takes everything
   * @param memory counts the open frame
   */
  public LocalSession(
      int partitionCount,
      MapAttempt attempt,
      PushOptions options,
      PushConfig config,
      ByteBufAllocator allocator,
      DirectMemory memory) {
    super(partitionCount, attempt, options, config, allocator, memory);
    this.sets = FrameSets.one(partitionCount);
    this.sink = Objects.requireNonNull(options.localSink());
  }

  @Override
  FrameSets sets() {
    return sets;
  }

  @Override
  void frame(int set, ByteBuf body) throws IOException {
    try {
      sink.accept(body);
      frames++;
    } finally {
      body.release();
    }
  }

  @Override
  void beforeAdd(BlockFramer framer) {}

  @Override
  void afterLast() {}

  @Override
  PushCounters counters(BlockFramer framer) {
    return new PushCounters(
        framer.contentBytes(),
        framer.blockBytes(),
        framer.blocks(),
        framer.records(),
        0,
        0,
        0,
        0,
        framer.blockBytes(),
        frames,
        0,
        0);
  }

  @Override
  void closed() {}
}
