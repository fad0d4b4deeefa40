package io.sluice.coordinator.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.coordinator.cluster.Fallbacks;
import io.sluice.coordinator.cluster.Server;
import io.sluice.coordinator.cluster.TaskReport;
import io.sluice.coordinator.cluster.TaskReport.ServerTime;
import io.sluice.coordinator.cluster.TaskReport.ShuffleReads;
import io.sluice.proto.DiskState;
import io.sluice.proto.ServerId;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import io.sluice.proto.StoredData;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DiagnosisTest {
  private static final long MIB = 1 << 20;
  private static final int TASKS = 10;

  private final List<ServerTime> servers = new ArrayList<>();
  private final List<ShuffleReads> shuffles = new ArrayList<>();
  private final List<Server> known = new ArrayList<>();
  private TaskReport.Bytes bytes = new TaskReport.Bytes(0, 0, 0, 0);
  private TaskReport.Retries retries = new TaskReport.Retries(0, 0, 0);
  private Fallbacks fallbacks = Fallbacks.NONE;

  /** Adds a server with 100 MiB of pushes. */
  private void server(String name, long memoryMs, long diskMs, long otherMs) {
    servers.add(
        new ServerTime(name, 100 * MIB, 0, memoryMs + diskMs + otherMs, 0, memoryMs, diskMs));
  }

  /** Adds nine servers with the same waits. */
  private void others(long memoryMs, long diskMs, long otherMs) {
    for (int i = 0; i < 9; i++) {
      server("other-" + i, memoryMs, diskMs, otherMs);
    }
  }

  private void disk(String server, String path, long mibPerSecond) {
    known.add(
        Server.reporting(
            ServerId.newBuilder().setName(server).build(),
            ServerState.ACTIVE,
            ServerLoad.newBuilder()
                .addDisks(
                    DiskState.newBuilder()
                        .setPath(path)
                        .setWrittenBytes(mibPerSecond * MIB)
                        .setWriteNanos(1_000_000_000))
                .build(),
            StoredData.getDefaultInstance(),
            List.of(),
            0));
  }

  private List<Finding> findings() {
    return Diagnosis.of(new TaskReport(bytes, retries, TASKS, servers, shuffles), fallbacks, known);
  }

  private List<Cause> causes() {
    return findings().stream().map(Finding::cause).toList();
  }

  @Test
  void namesASlowDiskFirst() {
    others(0, 1_000, 500);
    server("slow", 0, 60_000, 500);
    disk("other-0", "/a", 500);
    disk("other-1", "/a", 600);
    disk("slow", "/b", 5);

    Finding first = findings().get(0);
    assertThat(first.cause()).isEqualTo(Cause.DISK);
    assertThat(first.server()).isEqualTo("slow");
    assertThat(first.taskMs()).isEqualTo(59_000);
    assertThat(first.jobMs()).isEqualTo(5_900);
    assertThat(first.observed())
        .isEqualTo(
            "Tasks waited 60.0 s for disks of slow; its slowest disk /b writes 5.0 MiB/s, the"
                + " median disk of all servers 500 MiB/s.");
    assertThat(findings().get(1).observed())
        .startsWith("Tasks waited 10.0 s for the disks of all servers");
  }

  @Test
  void namesASlowServerFirst() {
    others(0, 1_000, 500);
    server("slow", 0, 1_000, 60_000);

    Finding first = findings().get(0);
    assertThat(first.cause()).isEqualTo(Cause.SERVER);
    assertThat(first.server()).isEqualTo("slow");
    assertThat(causes()).containsExactly(Cause.SERVER, Cause.DISK, Cause.NETWORK);
  }

  @Test
  void namesOneOfTwoServers() {
    server("fast", 0, 0, 500);
    server("slow", 0, 0, 60_000);

    assertThat(findings().get(0).server()).isEqualTo("slow");
  }

  @Test
  void namesNoServerIfAllAreAlike() {
    others(0, 0, 2_000);
    server("one", 0, 0, 3_000);

    assertThat(findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.cause()).isEqualTo(Cause.NETWORK);
              assertThat(finding.server()).isNull();
              assertThat(finding.taskMs()).isEqualTo(21_000);
            });
  }

  @Test
  void doesNotCompareASingleServer() {
    server("one", 0, 0, 3_000);
    assertThat(causes()).containsExactly(Cause.NETWORK);
  }

  @Test
  void aServerWithMoreBytesMayTakeLonger() {
    others(0, 0, 2_000);
    servers.add(new ServerTime("large", 1_000 * MIB, 0, 20_000, 0, 0, 0));

    assertThat(causes()).containsExactly(Cause.NETWORK);
  }

  @Test
  void separatesMemoryFromDisks() {
    others(5_000, 1_000, 0);

    assertThat(causes()).containsExactly(Cause.MEMORY, Cause.DISK);
    assertThat(findings().get(0).change()).contains("rss.server.buffer.capacity");
  }

  @Test
  void namesSkewFirstBecauseAllOtherTasksEndBefore() {
    others(0, 0, 3_000);
    // 200 reads of 10 MiB in half a second, and one of 500 MiB.
    shuffles.add(new ShuffleReads(7, 201, 2_500 * MIB, 200 * 500 + 30_000, 30_000, 500 * MIB));

    Finding first = findings().get(0);
    assertThat(first.cause()).isEqualTo(Cause.SKEW);
    assertThat(first.shuffle()).isEqualTo(7);
    assertThat(first.jobMs()).isBetween(29_000L, 29_500L);
    assertThat(first.observed())
        .isEqualTo(
            "One of 201 reads of shuffle 7 took 30.0 s for 500 MiB; the others took 0.5 s for"
                + " 10.0 MiB on average.");
  }

  @Test
  void aLongReadOfUsualSizeIsNoSkew() {
    shuffles.add(new ShuffleReads(7, 201, 2_010 * MIB, 200 * 500 + 30_000, 30_000, 10 * MIB));
    assertThat(findings()).isEmpty();
  }

  @Test
  void listsFallbacksLocalOutputAndRetriesWithoutCost() {
    bytes = new TaskReport.Bytes(100 * MIB, 5 * MIB, 0, 0);
    retries = new TaskReport.Retries(4, 5, 1);
    fallbacks = new Fallbacks(2, "NO_SERVERS: 3 servers known: 3 lost");
    server("one", 0, 0, 5_000);

    assertThat(causes())
        .as("5 s of tasks are half a second of the job; an unknown cost ranks as one second")
        .containsExactly(Cause.FALLBACK, Cause.LOCAL_OUTPUT, Cause.NETWORK, Cause.RETRIES);
    assertThat(findings().get(0).observed())
        .isEqualTo(
            "2 shuffles used the engine's built-in shuffle; the latest reason: NO_SERVERS: 3"
                + " servers known: 3 lost");
    assertThat(findings().get(3).observed())
        .isEqualTo(
            "Tasks repeated 4 pushes and 5 read requests, and changed 1 times to a replacement"
                + " server.");
  }

  @Test
  void findsNothingWithoutAReport() {
    assertThat(Diagnosis.of(TaskReport.NONE, Fallbacks.NONE, List.of())).isEmpty();
  }

  @Test
  void toleratesTheLargestNumbers() {
    long max = 1L << 53;
    for (int i = 0; i < 64; i++) {
      servers.add(new ServerTime("s" + i, max, max, max, max, max, max));
    }
    shuffles.add(new ShuffleReads(0, max, max, max, max, max));
    shuffles.add(new ShuffleReads(1, 2, 0, 0, max, max));

    assertThat(findings())
        .isNotEmpty()
        .allMatch(finding -> finding.taskMs() == null || finding.taskMs() >= 0);
  }
}
