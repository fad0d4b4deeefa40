package io.sluice.it.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.block.BlockHeader;
import io.sluice.it.faults.StoredRecords;
import io.sluice.localcluster.ClusterNode;
import io.sluice.localcluster.ClusterProbe;
import io.sluice.localcluster.ProgramOutcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Goal: a record that is dropped after its map task has ended, with valid checksums of its block
 * and its segment, does not change a result: the receipt of the map attempt does not match, and
 * that map task runs again.
 */
@ExtendWith(SharedClusters.class)
final class WrongRecordsTest {
  /** Bytes of a segment before its records, and after them: end mark and checksum. */
  private static final int SEGMENT_HEADER_BYTES = 16;

  private static final int END_MARK_BYTES = 2;
  private static final int CHECKSUM_BYTES = 4;

  private static final Duration REPORT_TIMEOUT = Duration.ofSeconds(60);

  private final Clusters clusters;

  WrongRecordsTest(Clusters clusters) {
    this.clusters = clusters;
  }

  @AfterEach
  void startServersAgain() throws IOException, InterruptedException {
    clusters.awaitServers();
  }

  @Test
  @Tag("nightly")
  void repeatsTheMapTaskOfADroppedRecord() throws Exception {
    GatedJob job =
        new GatedJob(clusters, "record-dropped", 26)
            .set(GatedJob.SLOW_START, "1.0")
            .shut("map-3")
            .start();
    job.awaitFinishedTasks(GatedJob.MAPS - 1);
    String application = job.awaitAttempt("m_000003_0").application();
    dropOneRecord(application);
    job.open("map-3");

    ProgramOutcome outcome = job.awaitRightResult();
    assertThat(outcome.counter("Launched map tasks")).isEqualTo(GatedJob.MAPS + 1);
    // The application master reports it at the latest when it ends, which is after the job.
    ClusterProbe probe = clusters.probe();
    probe.await(
        "the wrong receipt is reported",
        REPORT_TIMEOUT,
        () -> probe.events(clusters.sluice().coordinator(), "RECEIPTS_WRONG") == 1);
  }

  /** A clean stop of a server writes all blocks to run files. */
  private void dropOneRecord(String application) throws IOException, InterruptedException {
    ClusterNode server = clusters.sluice().servers().get(0);
    server.stop();
    Path run =
        StoredRecords.newestRun(
            server.directory(), header -> header.application().equals(application));
    StoredRecords.changeOneBlock(run, WrongRecordsTest::dropLastRecord);
    server.start();
    clusters.awaitServers();
  }

  /**
   * Drops the last record of a segment. Its bytes become the end of the value before it, which
   * Hadoop does not read, so that no length changes.
   */
  private static int dropLastRecord(BlockHeader header, byte[] block) {
    int begin = BlockHeader.LENGTH + SEGMENT_HEADER_BYTES;
    int end = block.length - CHECKSUM_BYTES;
    List<Integer> records = new ArrayList<>();
    for (int at = begin; at < end - END_MARK_BYTES; at += recordLength(block, at)) {
      records.add(at);
    }
    assertThat(records).as("records of %s", header).hasSize(header.recordCount());
    if (records.size() < 2) {
      return 0;
    }
    int last = records.get(records.size() - 1);
    int kept = records.get(records.size() - 2);
    int valueLength = block[kept + 1] + recordLength(block, last);
    assertThat(valueLength).as("a length of one byte").isLessThanOrEqualTo(Byte.MAX_VALUE);
    block[kept + 1] = (byte) valueLength;
    CRC32 checksum = new CRC32();
    checksum.update(block, begin, end - begin);
    ByteBuffer.wrap(block).putInt(end, (int) checksum.getValue());
    return records.size() - 1;
  }

  /** Two lengths of one byte each, key and value. */
  private static int recordLength(byte[] block, int at) {
    assertThat(block[at]).as("length of a key").isPositive();
    assertThat(block[at + 1]).as("length of a value").isPositive();
    return 2 + block[at] + block[at + 1];
  }
}
