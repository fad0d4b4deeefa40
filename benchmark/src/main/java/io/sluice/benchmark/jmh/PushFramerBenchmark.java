package io.sluice.benchmark.jmh;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.client.push.FramedPushSession;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushConfig;
import io.sluice.client.push.PushOptions;
import io.sluice.client.server.DirectMemory;
import io.sluice.client.server.RetryPolicy;
import io.sluice.common.block.BlockCodec;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Seals the records of one map attempt, sorted by partition, into frames. The session writes local
 * output, so that it does not wait for a server; its framing is that of a pushing session.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class PushFramerBenchmark {
  private static final int FRAME_BYTES = 1 << 20;
  private static final int RECORDS = 10;

  @Param({"NONE", "LZ4"})
  public BlockCodec codec;

  @Param("200")
  public int partitions;

  @Param({"1024", "51200"})
  public int bytesPerPartition;

  private final ByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
  private byte[] records;
  private PushConfig config;
  private PushOptions options;
  private long frameBytes;

  @Setup(Level.Trial)
  public void prepare() {
    records = Payloads.text(bytesPerPartition);
    RetryPolicy retry = new RetryPolicy(1, 1, 1, 1);
    config = new PushConfig(FRAME_BYTES, FRAME_BYTES, 1, codec, 1, retry, retry);
    options = new PushOptions(null, null, body -> frameBytes += body.readableBytes());
  }

  /** Frames one map attempt; returns the bytes of all frames until now. */
  @Benchmark
  public long mapAttempt() throws IOException {
    try (FramedPushSession session =
        FramedPushSession.toLocalOutput(
            partitions,
            new MapAttempt(1, 1),
            options,
            config,
            allocator,
            new DirectMemory(Long.MAX_VALUE))) {
      session.beginFinalPass();
      for (int partition = 0; partition < partitions; partition++) {
        session.add(partition, records, 0, records.length, RECORDS);
      }
      session.finish();
    }
    return frameBytes;
  }
}
