package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import io.sluice.client.server.ServerTimes;
import java.io.IOException;
import java.util.Objects;

/**
 * Writes all frames to local output and sends none to a server. The blocks have the numbers and
 * flags of pushed blocks, so that the background push sends them unchanged. Never waits.
 */
final class LocalTarget implements FrameTarget {
  private final FrameSets sets;
  private final LocalSink sink;
  private long frames;

  /**
   * @param sink borrows
   */
  LocalTarget(int partitionCount, LocalSink sink) {
    this.sets = FrameSets.one(partitionCount);
    this.sink = Objects.requireNonNull(sink);
  }

  @Override
  public FrameSets sets() {
    return sets;
  }

  @Override
  public boolean poll() {
    return false;
  }

  @Override
  public FrameSets switchSets() {
    return sets;
  }

  @Override
  public void send(int set, ByteBuf body) throws IOException {
    try {
      sink.accept(body);
      frames++;
    } finally {
      body.release();
    }
  }

  @Override
  public void finish() {}

  @Override
  public long unacknowledgedBytes() {
    return 0;
  }

  @Override
  public void awaitUnacknowledgedAtMost(long bytes) {}

  @Override
  public PushCounters counters(BlockFramer framer) {
    return new PushCounters(
        framer.uncompressedBytes(),
        framer.blockBytes(),
        framer.blocks(),
        framer.records(),
        0,
        0,
        0,
        0,
        new PushCounters.Rerouted(framer.blockBytes(), frames, 0, 0),
        ServerTimes.NONE);
  }

  @Override
  public void close() {}
}
