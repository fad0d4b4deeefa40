package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.compress.BlockCodecs;
import io.sluice.client.compress.BlockCompressor;
import io.sluice.client.memory.DirectMemory;
import java.io.IOException;
import java.util.Objects;

/**
 * What sessions have in common: contents become frames; where the frames go is up to the kind of
 * session. Owned by the task thread.
 *
 * <p>A session is OPEN until it is FINISHED, or FAILED when something went wrong on the way, and in
 * the end CLOSED. It needs a compressor and frames only once it gets a content.
 */
abstract class FramingSession implements PushSession {
  private final int partitionCount;
  private final MapAttempt attempt;
  private final PushOptions options;
  private final PushConfig config;
  private final ByteBufAllocator allocator;
  private final DirectMemory memory;
  private BlockCompressor compressor;
  private BlockFramer framer;
  private boolean finalPass;
  private long countedOpenBytes;
  private State state = State.OPEN;

  private enum State {
    OPEN,
    FINISHED,
    FAILED,
    CLOSED
  }

  /** A part of the work that fails the session if it fails. */
  interface Step {
    void run() throws IOException;
  }

  /**
   * @param options borrows what is in it
   * @param memory counts open frames
   */
  FramingSession(
      int partitionCount,
      MapAttempt attempt,
      PushOptions options,
      PushConfig config,
      ByteBufAllocator allocator,
      DirectMemory memory) {
    this.partitionCount = partitionCount;
    this.attempt = attempt;
    this.options = options;
    this.config = config;
    this.allocator = allocator;
    this.memory = memory;
  }

  /** Which partitions may share the first frames. */
  abstract FrameSets sets();

  /**
   * A frame is full, or the last of its set.
   *
   * @param body takes
   */
  abstract void frame(int set, ByteBuf body) throws IOException;

  /** A content is about to be added. */
  abstract void beforeAdd(BlockFramer framer) throws IOException;

  /** Every frame was given out, and there was at least one content. */
  abstract void afterLast() throws IOException;

  /** What became of what went through the framer. */
  abstract PushCounters counters(BlockFramer framer);

  /** The session ends; called once. */
  abstract void closed();

  private BlockFramer framer() throws IOException {
    if (framer == null) {
      compressor = BlockCodecs.compressor(config.codec(), config.zstdLevel());
      framer =
          new BlockFramer(
              sets(),
              partitionCount,
              attempt,
              compressor,
              options.transform(),
              options.sizes(),
              allocator,
              config.frameBytes(),
              this::frame);
      if (finalPass) {
        framer.beginFinalPass();
      }
    }
    return framer;
  }

  @Override
  public final void add(int partition, byte[] bytes, int offset, int length, int records)
      throws IOException {
    requireOpen();
    Objects.checkFromIndexSize(offset, length, bytes.length);
    if (length < 1 || records < 0) {
      throw new IllegalArgumentException(
          "push: expected at least one byte, found length=" + length + " records=" + records);
    }
    whileOpen(
        () -> {
          BlockFramer into = framer();
          beforeAdd(into);
          into.add(partition, bytes, offset, length, records);
        });
  }

  @Override
  public final void beginFinalPass() {
    requireOpen();
    if (framer != null) {
      framer.beginFinalPass();
    }
    finalPass = true;
  }

  @Override
  public final void finish() throws IOException {
    whileOpen(
        () -> {
          if (framer != null) {
            framer.finish();
            afterLast();
          }
        });
    state = State.FINISHED;
  }

  /** Runs a step of an open session. */
  final void whileOpen(Step step) throws IOException {
    requireOpen();
    boolean done = false;
    try {
      step.run();
      done = true;
    } finally {
      countOpen();
      if (!done) {
        state = State.FAILED;
      }
    }
  }

  private void requireOpen() {
    if (state != State.OPEN) {
      throw new IllegalStateException("push session is " + state);
    }
  }

  @Override
  public final long[] partitionLengths() {
    return framer == null ? new long[partitionCount] : framer.partitionLengths();
  }

  @Override
  public final PushCounters counters() {
    return framer == null ? PushCounters.ZERO : counters(framer);
  }

  private void countOpen() {
    long now = openBytes();
    memory.add(now - countedOpenBytes);
    countedOpenBytes = now;
  }

  @Override
  public long heldBytes() {
    return openBytes();
  }

  /** Memory of the open frames. */
  private long openBytes() {
    return framer == null ? 0 : framer.openBytes();
  }

  @Override
  public final void close() {
    if (state == State.CLOSED) {
      return;
    }
    state = State.CLOSED;
    if (framer != null) {
      framer.release();
      countOpen();
    }
    if (compressor != null) {
      compressor.close();
      compressor = null;
    }
    closed();
  }
}
