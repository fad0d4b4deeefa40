package io.sluice.benchmark.jmh;

import io.sluice.common.block.BatchChecksum;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * Time per record for the checksum of a receipt, which a map task and a reduce task compute once
 * each; and what a checksum for each record would need instead.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 10, time = 1)
public class ReceiptBenchmark {
  private static final int RECORDS = 512;

  /** The rows of lineitem of TPC-H have about 210 bytes. */
  @Param({"36", "108", "212"})
  public int recordBytes;

  private final BatchChecksum checksum = new BatchChecksum();
  private byte[] batch;

  @Setup(Level.Trial)
  public void prepare() {
    batch = Payloads.text(RECORDS * recordBytes);
  }

  /** One batch, as receipts do. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public long batch() {
    return checksum.of(batch, 0, batch.length, RECORDS);
  }

  /** Each record by itself. */
  @Benchmark
  @OperationsPerInvocation(RECORDS)
  public long eachRecord() {
    long sum = 0;
    for (int i = 0; i < RECORDS; i++) {
      sum += checksum.of(batch, i * recordBytes, recordBytes, 1);
    }
    return sum;
  }
}
