package io.sluice.it.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.common.block.BlockFormat;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.block.Receipt;
import io.sluice.common.run.RunBlock;
import io.sluice.common.run.RunExtent;
import io.sluice.common.run.RunReader;
import io.sluice.it.spark.SparkApplication;
import io.sluice.it.spark.SparkApplication.Outcome;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.LocalCluster;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
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
          FaultCluster.impatient(
                  SparkApplication.onSluice(directory.resolve("job"), cluster.quorum()))
              .set("spark.rss.client.server.unreachable.timeout", "60s")
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
    alter(newestRun());
    server.start();
  }

  /** A run of the latest shuffle. */
  private Path newestRun() throws IOException {
    Path newest = null;
    int shuffle = -1;
    try (Stream<Path> files = Files.walk(directory.resolve("cluster"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".run")).toList()) {
        try (RunReader run = RunReader.open(file)) {
          if (run.header().shuffle() > shuffle) {
            shuffle = run.header().shuffle();
            newest = file;
          }
        }
      }
    }
    assertThat(newest).as("run file").isNotNull();
    return newest;
  }

  /**
   * Changes a digit in a record of the first block, and computes the checksum of the block anew.
   */
  private static void alter(Path file) throws IOException {
    long offset;
    RunBlock block;
    try (RunReader run = RunReader.open(file)) {
      RunExtent first = run.extents().get(0);
      offset = first.fileOffset();
      block = run.blocks(first).get(0);
    }
    byte[] bytes = new byte[block.length()];
    try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
      open.seek(offset);
      open.readFully(bytes);
      bytes[digitIn(bytes)] ^= 1;
      ByteBuf buffer = Unpooled.wrappedBuffer(bytes);
      BlockHeader header = BlockHeader.read(buffer, 0, bytes.length);
      Receipt receipt = header.isLast() ? Receipt.read(buffer, 0) : Receipt.NONE;
      BlockFormat.seal(buffer, 0, header, receipt);
      open.seek(offset);
      open.write(bytes);
    }
    try (RunReader run = RunReader.open(file)) {
      run.verify();
    }
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
