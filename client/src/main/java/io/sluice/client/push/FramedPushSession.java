package io.sluice.client.push;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.client.compress.BlockCodecs;
import io.sluice.client.compress.BlockCompressor;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.server.DirectMemory;
import io.sluice.client.server.TaskEnvironment;
import io.sluice.common.block.BlockCodec;
import java.io.IOException;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * A push session that puts batches of records into frames and sends these to its target. Owned by
 * the task thread.
 *
 * <p>States: OPEN, then FINISHED, or FAILED after an error, and at the end CLOSED. The compressor
 * and frames are created with the first batch.
 */
public final class FramedPushSession implements PushSession {
  private final int partitionCount;
  private final MapAttempt attempt;
  private final PushOptions options;
  private final PushConfig config;
  private final ByteBufAllocator allocator;
  private final DirectMemory memory;
  private final FrameTarget target;
  private final BiConsumer<PushCounters, Throwable> onClose;
  private BlockCompressor compressor;
  private BlockFramer framer;
  private boolean finalPass;
  private long countedOpenBytes;
  private State state = State.OPEN;
  private Throwable failure;

  private enum State {
    OPEN,
    FINISHED,
    FAILED,
    CLOSED
  }

  /** An operation of an open session; if it throws, the session fails. */
  private interface Step {
    void run() throws IOException;
  }

  private FramedPushSession(
      int partitionCount,
      MapAttempt attempt,
      PushOptions options,
      PushConfig config,
      FrameTarget target,
      ByteBufAllocator allocator,
      DirectMemory memory,
      BiConsumer<PushCounters, Throwable> onClose) {
    this.partitionCount = partitionCount;
    this.attempt = attempt;
    this.options = options;
    this.config = config;
    this.target = target;
    this.allocator = allocator;
    this.memory = memory;
    this.onClose = onClose;
  }

  /**
   * Creates a session whose blocks go to shuffle servers, and to local output if no server accepts
   * them.
   *
   * @param options borrows its members
   * @param onClose receives the final counters and the failure, or null, once
   */
  public static FramedPushSession toServers(
      ShuffleAssignment assignment,
      MapAttempt attempt,
      PushOptions options,
      PushConfig config,
      TaskEnvironment environment,
      PushWindows windows,
      ByteBufAllocator allocator,
      BiConsumer<PushCounters, Throwable> onClose) {
    return new FramedPushSession(
        assignment.partitionCount(),
        attempt,
        options,
        config,
        new ServerTarget(assignment, attempt, config, options, false, environment, windows),
        allocator,
        environment.memory(),
        onClose);
  }

  /**
   * Creates a session whose blocks all go to local output. It never waits.
   *
   * @param options borrows its members; its local sink gets every frame
   * @param memory counts the open frame
   */
  public static FramedPushSession toLocalOutput(
      int partitionCount,
      MapAttempt attempt,
      PushOptions options,
      PushConfig config,
      ByteBufAllocator allocator,
      DirectMemory memory) {
    return new FramedPushSession(
        partitionCount,
        attempt,
        options,
        config,
        new LocalTarget(partitionCount, options.localSink()),
        allocator,
        memory,
        (counters, failure) -> {});
  }

  private BlockCodec codec() {
    return options.codec() == null ? config.codec() : options.codec();
  }

  private BlockFramer framer() throws IOException {
    if (framer == null) {
      compressor = BlockCodecs.compressor(codec(), config.zstdLevel());
      framer =
          new BlockFramer(
              target.sets(),
              partitionCount,
              attempt,
              new BlockPayloads(compressor, options.transform(), options.rows()),
              options.sizes(),
              allocator,
              config.frameBytes(),
              target::send);
      if (finalPass) {
        framer.beginFinalPass();
      }
    }
    return framer;
  }

  @Override
  public void add(int partition, byte[] bytes, int offset, int length, int records)
      throws IOException {
    requireOpen();
    Objects.checkFromIndexSize(offset, length, bytes.length);
    if (length < 1 || records < 0) {
      throw new IllegalArgumentException(
          "invalid batch: expected length of at least 1 and records of at least 0, found length="
              + length
              + " records="
              + records);
    }
    whileOpen(
        () -> {
          BlockFramer into = framer();
          if (target.poll()) {
            into.flushAll();
            into.switchSets(target.switchSets());
          }
          into.add(partition, bytes, offset, length, records);
        });
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
    whileOpen(
        () -> {
          if (framer != null) {
            framer.finish();
            target.finish();
          }
        });
    state = State.FINISHED;
  }

  @Override
  public void awaitUnacknowledgedAtMost(long bytes) throws IOException {
    whileOpen(() -> target.awaitUnacknowledgedAtMost(bytes));
  }

  private void whileOpen(Step step) throws IOException {
    requireOpen();
    try {
      step.run();
    } catch (IOException | RuntimeException | Error e) {
      state = State.FAILED;
      failure = e;
      throw e;
    } finally {
      countOpenBytes();
    }
  }

  private void requireOpen() {
    if (state != State.OPEN) {
      throw new IllegalStateException("the push session is not open, state=" + state);
    }
  }

  @Override
  public long[] partitionLengths() {
    return framer == null ? new long[partitionCount] : framer.partitionLengths();
  }

  @Override
  public PushCounters counters() {
    return framer == null ? PushCounters.ZERO : target.counters(framer);
  }

  private void countOpenBytes() {
    long now = openBytes();
    memory.add(now - countedOpenBytes);
    countedOpenBytes = now;
  }

  @Override
  public long bufferedBytes() {
    return target.unacknowledgedBytes() + openBytes();
  }

  /** Memory of the open frames, in bytes. */
  private long openBytes() {
    return framer == null ? 0 : framer.openBytes();
  }

  @Override
  public void close() {
    if (state == State.CLOSED) {
      return;
    }
    state = State.CLOSED;
    if (framer != null) {
      framer.release();
      countOpenBytes();
    }
    if (compressor != null) {
      compressor.close();
      compressor = null;
    }
    target.close();
    onClose.accept(counters(), failure);
  }
}
