package io.sluice.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BlockHeader;
import io.sluice.it.spark.SparkApplication;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: records that a stage of the shuffle changes, with valid checksums of their block, do not
 * change a result: the receipt of their map attempt does not match, and that map task runs again.
 */
@Timeout(900)
class WrongRecordsTest {
  private static final String CALM = "faults/calm";
  private static final String ALTERED = "faults/altered@mapped";

  /** Length of a run of hexadecimal digits that is certainly in the text of a record. */
  private static final int DIGITS = 10;

  @TempDir Path directory;

  private LocalCluster cluster;

  @Test
  void repeatsTheMapTaskWhoseRecordsWereAltered() throws IOException, InterruptedException {
    try (LocalCluster started =
            FaultCluster.builder(directory.resolve("cluster")).servers(1).build();
        ClusterProbe probe = new ClusterProbe(started)) {
      cluster = started;
      cluster.start();
      probe.awaitActiveServers(1, Duration.ofSeconds(60));

      Outcome found =
          FaultCluster.awaitingRestarts(
                  SparkApplication.onSluice(directory.resolve("job"), cluster.quorum())
                      .withOneExecutor())
              .set("spark.rss.client.io.compression.codec", "none")
              .at("altered/mapped", this::alterOneRecord)
              .run(List.of(CALM, ALTERED));

      assertThat(found.exitCode()).as(found.log()).isZero();
      assertThat(found.fallbacks()).isEmpty();
      assertThat(found.digest(ALTERED)).isEqualTo(found.digest(CALM));
      assertThat(found.number(CALM, "mapTasks")).isEqualTo(Expectation.MAPS);
      assertThat(found.number(ALTERED, "mapTasks")).isEqualTo(Expectation.MAPS + 1);
      assertThat(found.number(ALTERED, "failedTasks")).isEqualTo(1);
    }
  }

  /** A clean stop of the server writes all blocks to run files. */
  private void alterOneRecord() throws IOException, InterruptedException {
    ClusterNode server = cluster.servers().get(0);
    server.stop();
    Path run = StoredRecords.newestRun(directory.resolve("cluster"), header -> true);
    StoredRecords.changeOneBlock(run, WrongRecordsTest::alterDigit);
    server.start();
  }

  private static int alterDigit(BlockHeader header, byte[] block) {
    block[digitIn(block)] ^= 1;
    return header.recordCount();
  }

  /** Index of a decimal digit inside of a text. */
  private static int digitIn(byte[] bytes) {
    int length = 0;
    for (int i = BlockHeader.LENGTH; i < bytes.length; i++) {
      length = Character.digit(bytes[i], 16) >= 0 ? length + 1 : 0;
      if (length >= DIGITS && Character.isDigit(bytes[i - 1])) {
        return i - 1;
      }
    }
    throw new IllegalStateException("the block has no text of a record");
  }
}
