package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.compress.BlockCodecs;
import io.sluice.client.compress.BlockCompressor;
import java.io.IOException;
import java.util.Objects;

/**
 * A session whose blocks all go to local output and none to a server: the same blocks, numbered and
 * marked the same way, so that they can be pushed from there as they are. Sends nothing and never
 * waits. Owned by the task thread.
 */
public final class LocalSession implements PushSession {
  private final int partitionCount;
  private final MapAttempt attempt;
  private final PushOptions options;
  private final PushConfig config;
  private final ByteBufAllocator allocator;
  private BlockCompressor compressor;
  private BlockFramer framer;
  private boolean finalPass;
  private long frames;
  private State state = State.OPEN;

  private enum State {
    OPEN,
    FINISHED,
    FAILED,
    CLOSED
  }

  /**
   * @param options borrows what is in it; its local sink takes everything
   */
  public LocalSession(
      int partitionCount,
      MapAttempt attempt,
      PushOptions options,
      PushConfig config,
      ByteBufAllocator allocator) {
    Objects.requireNonNull(options.localSink());
    this.partitionCount = partitionCount;
    this.attempt = attempt;
    this.options = options;
    this.config = config;
    this.allocator = allocator;
  }

  private BlockFramer framer() throws IOException {
    if (framer == null) {
      compressor = BlockCodecs.compressor(config.codec(), config.zstdLevel());
      framer =
          new BlockFramer(
              FrameSets.one(partitionCount),
              partitionCount,
              attempt,
              compressor,
              options.transform(),
              allocator,
              config.frameBytes(),
              (set, body) -> keep(body));
      if (finalPass) {
        framer.beginFinalPass();
      }
    }
    return framer;
  }

  private void keep(ByteBuf body) throws IOException {
    try {
      options.localSink().accept(body);
      frames++;
    } finally {
      body.release();
    }
  }

  @Override
  public void add(int partition, byte[] bytes, int offset, int length, int records)
      throws IOException {
    requireOpen();
    Objects.checkFromIndexSize(offset, length, bytes.length);
    if (length < 1 || records < 0) {
      throw new IllegalArgumentException(
          "local output: expected at least one byte, found length="
              + length
              + " records="
              + records);
    }
    boolean done = false;
    try {
      framer().add(partition, bytes, offset, length, records);
      done = true;
    } finally {
      if (!done) {
        state = State.FAILED;
      }
    }
  }

  @Override
  public void beginFinalPass() {
    requireOpen();
    if (framer != null) {
      framer.beginFinalPass();
    }
    finalPass = true;
  }

  @Override
  public void finish() throws IOException {
    requireOpen();
    boolean done = false;
    try {
      if (framer != null) {
        framer.finish();
      }
      done = true;
    } finally {
      state = done ? State.FINISHED : State.FAILED;
    }
  }

  private void requireOpen() {
    if (state != State.OPEN) {
      throw new IllegalStateException("local session is " + state);
    }
  }

  @Override
  public long[] partitionLengths() {
    return framer == null ? new long[partitionCount] : framer.partitionLengths();
  }

  @Override
  public boolean hasLocal() {
    return frames > 0;
  }

  @Override
  public PushCounters counters() {
    return framer == null
        ? PushCounters.ZERO
        : new PushCounters(
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
  public void close() {
    if (state == State.CLOSED) {
      return;
    }
    state = State.CLOSED;
    if (framer != null) {
      framer.release();
    }
    if (compressor != null) {
      compressor.close();
      compressor = null;
    }
  }
}
