package io.sluice.demo.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StageCpuTest {
  private static final long TIMEOUT_MS = 30_000;

  @TempDir private Path directory;

  /** The clock advances by 1 ms with each event: the begin and the end of each stage. */
  @Test
  void separatesStagesThatReadAShuffle() throws Exception {
    AtomicLong clock = new AtomicLong();
    StageCpu cpu = new StageCpu(clock::incrementAndGet);
    try (SparkSession spark = LocalSpark.open("stage-test", directory)) {
      spark.sparkContext().addSparkListener(cpu);
      spark.range(0, 1_000, 1, 2).selectExpr("id % 10 AS k").collectAsList();
      spark.sparkContext().listenerBus().waitUntilEmpty(TIMEOUT_MS);
      assertThat(cpu.sums()).isEqualTo(new StageCpu.Sums(1, 0));

      spark.range(0, 1_000, 1, 2).selectExpr("id % 10 AS k").groupBy("k").count().collectAsList();
      spark.sparkContext().listenerBus().waitUntilEmpty(TIMEOUT_MS);
    }

    assertThat(cpu.sums()).isEqualTo(new StageCpu.Sums(2, 1));
  }
}
