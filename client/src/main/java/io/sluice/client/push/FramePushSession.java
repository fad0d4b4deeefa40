package io.sluice.client.push;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.compress.BlockCodecs;
import io.sluice.client.compress.BlockCompressor;
import io.sluice.client.coordinator.ShuffleAssignment;
import java.io.IOException;
import java.util.Objects;
import java.util.function.Consumer;

/** A push session over pooled connections. Owned by the task thread. */
public final class FramePushSession implements PushSession {
  private final int partitionCount;
  private final PushOptions options;
  private final MapAttempt attempt;
  private final PushConfig config;
  private final ByteBufAllocator allocator;
  private final FrameSender sender;
  private final Consumer<PushCounters> onClose;
  private BlockCompressor compressor;
  private BlockFramer framer;
  private boolean finalPass;
  private State state = State.OPEN;

  private enum State {
    OPEN,
    FINISHED,
    FAILED,
    CLOSED
  }

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
    this.partitionCount = assignment.partitionCount();
    this.options = options;
    this.attempt = attempt;
    this.config = config;
    this.allocator = allocator;
    this.sender = new FrameSender(assignment, attempt, config, options, false, environment);
    this.onClose = onClose;
  }

  @Override
  public void add(int partition, byte[] bytes, int offset, int length, int records)
      throws IOException {
    requireOpen();
    Objects.checkFromIndexSize(offset, length, bytes.length);
    if (length < 1 || records < 0) {
      throw new IllegalArgumentException(
          "push: expected at least one byte, found length=" + length + " records=" + records);
    }
    boolean done = false;
    try {
      sender.poll();
      if (sender.hasNewSets()) {
        changeSets();
      }
      framer().add(partition, bytes, offset, length, records);
      done = true;
    } finally {
      if (!done) {
        state = State.FAILED;
      }
    }
  }

  /** What was cut for servers that partitions have left is sent first. */
  private void changeSets() throws IOException {
    if (framer != null) {
      framer.cutAll();
    }
    ReplicaSets sets = sender.switchSets();
    if (framer != null) {
      framer.use(sets);
    }
  }

  private BlockFramer framer() throws IOException {
    if (framer == null) {
      compressor = BlockCodecs.compressor(config.codec(), config.zstdLevel());
      framer =
          new BlockFramer(
              sender.sets(),
              partitionCount,
              attempt,
              compressor,
              options.transform(),
              allocator,
              config.frameBytes(),
              sender::send);
      if (finalPass) {
        framer.beginFinalPass();
      }
    }
    return framer;
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
        sender.drain();
      }
      done = true;
    } finally {
      state = done ? State.FINISHED : State.FAILED;
    }
  }

  private void requireOpen() {
    if (state != State.OPEN) {
      throw new IllegalStateException("push session is " + state);
    }
  }

  @Override
  public long[] partitionLengths() {
    return framer == null ? new long[partitionCount] : framer.partitionLengths();
  }

  @Override
  public PushCounters counters() {
    return framer == null ? PushCounters.ZERO : sender.counters(framer);
  }

  @Override
  public long heldBytes() {
    return sender.heldBytes() + (framer == null ? 0 : framer.openBytes());
  }

  @Override
  public void awaitHeldAtMost(long bytes) throws IOException {
    requireOpen();
    boolean done = false;
    try {
      sender.awaitHeldAtMost(bytes);
      done = true;
    } finally {
      if (!done) {
        state = State.FAILED;
      }
    }
  }

  @Override
  public boolean hasLocal() {
    return sender.hasLocal();
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
    sender.close();
    if (compressor != null) {
      compressor.close();
      compressor = null;
    }
    onClose.accept(counters());
  }
}
