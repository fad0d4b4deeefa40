package io.sluice.benchmark.jmh;

import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.server.log.AppendResult;
import io.sluice.server.log.BlockBatch;
import io.sluice.server.log.LogConfig;
import io.sluice.server.log.LogTotals;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.memory.MemoryBudget;
import io.sluice.server.memory.MemoryConfig;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Appends received and verified frames to a shuffle's log. Each invocation appends {@value #FRAMES}
 * frames, each of one map attempt, to an empty log, so that the cost of JMH's setup per invocation
 * is negligible.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class LogAppendBenchmark {
  static final int FRAMES = 256;

  private static final long MEMORY_BYTES = 512L << 20;
  private static final int PAYLOAD_BYTES = 1000;
  private static final String APPLICATION = "application";

  @Param({"10", "100", "1000"})
  public int blocksPerFrame;

  private final ByteBuf[] bodies = new ByteBuf[FRAMES];
  private final BlockBatch[] batches = new BlockBatch[FRAMES];
  private MemoryBudget memory;
  private ShuffleLog log;

  @Setup(Level.Trial)
  public void open() {
    memory = new MemoryBudget(MemoryConfig.ofCapacity(MEMORY_BYTES), System::nanoTime);
  }

  @TearDown(Level.Trial)
  public void close() {
    memory.close();
  }

  /** Creates an empty log and frames in server memory. The payloads are not initialized. */
  @Setup(Level.Invocation)
  public void receive() {
    log =
        new ShuffleLog(
            new ShuffleKey(APPLICATION, 0), LogConfig.DEFAULT, new LogTotals(Long.MAX_VALUE));
    for (int frame = 0; frame < FRAMES; frame++) {
      BlockBatch batch = new BlockBatch(blocksPerFrame);
      for (int partition = 0; partition < blocksPerFrame; partition++) {
        batch.add(
            new BlockHeader(
                frame,
                frame,
                partition,
                0,
                1,
                PAYLOAD_BYTES,
                PAYLOAD_BYTES,
                BlockCodec.NONE,
                BlockHeader.FLAG_LAST));
      }
      ByteBuf body = memory.tryAllocate(APPLICATION, batch.length());
      body.writerIndex(batch.length());
      bodies[frame] = body;
      batches[frame] = batch;
    }
  }

  @TearDown(Level.Invocation)
  public void forget() {
    log.expire();
  }

  @Benchmark
  @OperationsPerInvocation(FRAMES)
  public void append(Blackhole results) throws SluiceException {
    for (int frame = 0; frame < FRAMES; frame++) {
      BlockBatch batch = batches[frame];
      AppendResult result = log.append(bodies[frame], memory.reservedBytes(batch.length()), batch);
      results.consume(result);
    }
  }
}
