package io.sluice.cli.sizing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.cli.sizing.Machine.DiskKind;
import io.sluice.cli.sizing.SizingPlan.Need;
import io.sluice.cli.sizing.SizingPlan.Setting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SizingTest {
  private static final long GIB = 1L << 30;
  private static final long MIB = 1L << 20;
  private static final long HALF_AN_HOUR_MS = 1_800_000;
  private static final double CPU_SECONDS = 4;

  private static SizingWorkload workload(long hourGib, int replicas) {
    return new SizingWorkload(
        hourGib * GIB, 12 * GIB, 12 * GIB, HALF_AN_HOUR_MS, 0, replicas, 800, 100, 2000, 10_000);
  }

  private static Machine ssdMachine() {
    return new Machine(8, 64 * GIB, 25e9 / 8, 2, DiskKind.SSD, 1770 * GIB, 1907 * MIB);
  }

  private static Machine hddMachine() {
    return new Machine(8, 64 * GIB, 25e9 / 8, 12, DiskKind.HDD, 8000 * GIB, 150 * MIB);
  }

  private static SizingPlan plan(SizingWorkload workload, Machine machine) {
    return new Sizing(workload, machine, CPU_SECONDS).plan();
  }

  @ParameterizedTest
  @CsvSource({
    "DISK_SPACE, 6",
    "DISK_BANDWIDTH, 4",
    "NETWORK, 12",
    "CPU, 6",
    "MEMORY, 6",
    "LOSS, 3"
  })
  void computesTheServersOfEachLimit(Limit limit, int servers) {
    SizingPlan plan = plan(workload(20 * 1024, 1), ssdMachine());

    assertThat(plan.needs())
        .filteredOn(need -> need.limit() == limit)
        .extracting(Need::servers)
        .containsExactly(servers);
    assertThat(plan.servers()).isEqualTo(13);
    assertThat(plan.bottleneck()).isEqualTo(Limit.NETWORK);
  }

  @Test
  void replicationDoublesWrites() {
    SizingPlan one = plan(workload(20 * 1024, 1), ssdMachine());
    SizingPlan two = plan(workload(20 * 1024, 2), ssdMachine());

    assertThat(two.liveBytes()).isEqualTo(2 * one.liveBytes());
    // Writes double, reads do not.
    assertThat(two.servers()).isEqualTo(19);
    assertThat(two.settings())
        .contains(new Setting("jobs, after spark. or mapreduce.", "rss.data.replica", "2"));
  }

  @Test
  void hddsCountWritesAndReadsTwice() {
    SizingPlan plan = plan(workload(20 * 1024, 1), hddMachine());

    // 2 x (12 + 12) GiB/s by 12 disks of 150 MiB/s.
    assertThat(plan.bottleneck()).isEqualTo(Limit.DISK_BANDWIDTH);
    assertThat(plan.servers()).isEqualTo(29);
    // 12 GiB/s for a minute, by 29.
    assertThat(plan.eachServer().bufferBytes()).isEqualTo(25 * GIB);
  }

  @Test
  void largestShuffleCountsIfLargerThanTheAverage() {
    SizingWorkload small = workload(100, 1);
    SizingWorkload large =
        new SizingWorkload(
            small.hourBytes(),
            small.peakBytesPerSecond(),
            small.readBytesPerSecond(),
            small.lifetimeMs(),
            100 * 1024 * GIB,
            1,
            800,
            100,
            2000,
            10_000);

    assertThat(plan(small, ssdMachine()).liveBytes()).isEqualTo(50 * GIB);
    assertThat(plan(large, ssdMachine()).liveBytes()).isEqualTo(100 * 1024 * GIB);
    assertThat(plan(large, ssdMachine()).bottleneck()).isEqualTo(Limit.DISK_SPACE);
  }

  @Test
  void memoryLimitsSmallMachines() {
    Machine small = new Machine(8, 16 * GIB, 25e9 / 8, 2, DiskKind.SSD, 1770 * GIB, 1907 * MIB);

    SizingPlan plan = plan(workload(20 * 1024, 1), small);

    assertThat(plan.bottleneck()).isEqualTo(Limit.MEMORY);
    SizingPlan.EachServer each = plan.eachServer();
    assertThat(each.heapBytes() + each.bufferBytes()).isLessThan(12 * GIB);
    long rest = each.heapBytes() / 16 + 300_000_000;
    assertThat(each.pageCacheBytes())
        .isEqualTo(16 * GIB - each.heapBytes() - each.bufferBytes() - rest);
  }

  @Test
  void failsIfMemoryLeavesNoSpaceForTheBuffer() {
    Machine tiny = new Machine(2, GIB, 1e9 / 8, 1, DiskKind.SSD, 100 * GIB, 500 * MIB);

    assertThatThrownBy(() -> plan(workload(100, 1), tiny))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("--memory is too small: a server needs ")
        .hasMessageEndingWith("leaves no memory for the buffer");
  }

  @Test
  void failsIfNoNumberOfServersIsEnough() {
    Machine slow = new Machine(1, 8 * GIB, 1e6 / 8, 1, DiskKind.SSD, 100 * GIB, 500 * MIB);

    assertThatThrownBy(() -> plan(workload(100, 1), slow))
        .hasMessage("more than 10000 servers of this size are needed for network");
  }

  /** The table of docs/sizing.md, for a server with one shuffle. */
  @ParameterizedTest
  @CsvSource({
    "500, 1000, 0.4, 0.3",
    "2048, 2000, 1.2, 0.5",
    "10240, 2000, 4.8, 1.2",
    "10240, 20000, 40.5, 4.8"
  })
  void heapDependsOnStoredBytesAndMerging(
      long storedGib, long partitions, double beforeMergingGib, double mergedGib) {
    assertThat(heapGib(storedGib, partitions, 1)).isEqualTo(beforeMergingGib);
    assertThat(heapGib(storedGib, partitions, 10)).isEqualTo(mergedGib);
  }

  private static double heapGib(long storedGib, long partitions, int merged) {
    double tables = HeapSize.tableBytes(1, partitions, 0, (double) storedGib * GIB, merged);
    return Math.ceil(HeapSize.minBytes(tables) * 10 / GIB) / 10;
  }

  @Test
  void settingsContainOnlyValuesThatDifferFromDefaults() {
    SizingWorkload many =
        new SizingWorkload(
            20 * 1024 * GIB, 12 * GIB, 12 * GIB, HALF_AN_HOUR_MS, 0, 1, 200_000, 100, 2000, 10_000);
    Machine slowDisk =
        new Machine(64, 512 * GIB, 100e9 / 8, 1, DiskKind.HDD, 200_000 * GIB, 2048 * MIB);

    SizingPlan plan = plan(many, slowDisk);

    assertThat(plan.settings())
        .contains(
            new Setting("server.conf", "rss.server.connections.max", "500000"),
            new Setting("unit of servers", "LimitNOFILE", "524288"));
    assertThat(plan(workload(20 * 1024, 1), ssdMachine()).settings())
        .extracting(Setting::name)
        .containsExactly(
            "XMX_SIZE",
            "MAX_DIRECT_MEMORY_SIZE",
            "COORDINATOR_XMX_SIZE",
            "rss.server.buffer.capacity");
  }

  @Test
  void manyRunFilesIncreaseTheStartTime() {
    SizingWorkload stored =
        new SizingWorkload(
            100 * GIB, GIB, 0, HALF_AN_HOUR_MS, 400 * 1024 * GIB, 1, 100, 100, 2000, 10_000);
    Machine wide = new Machine(8, 128 * GIB, 25e9 / 8, 4, DiskKind.HDD, 16_000 * GIB, 150 * MIB);

    SizingPlan plan = plan(stored, wide);

    // 7.1 TiB on each disk are 29,257 run files, 30 ms each.
    assertThat(plan.servers()).isEqualTo(13 + 1);
    assertThat(plan.eachServer().startSeconds()).isEqualTo(878);
    assertThat(plan.settings())
        .contains(new Setting("server.conf", "rss.server.recovery.timeout", "30m"));
  }
}
