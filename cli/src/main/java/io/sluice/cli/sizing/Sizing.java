package io.sluice.cli.sizing;

import io.sluice.cli.sizing.SizingPlan.EachServer;
import io.sluice.cli.sizing.SizingPlan.Need;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** The sums of docs/sizing.md, which says why. Immutable. */
final class Sizing {
  private static final double GIB = 1L << 30;

  /** Below the mark at which a disk is written to again. */
  private static final double USABLE_SHARE_OF_DISK =
      Defaults.DISK_CAPACITY_RATIO * Defaults.DISK_LOW_PERCENT / 100;

  /** Jobs do not come evenly. */
  private static final double DISK_RESERVE = 1.5;

  private static final double USABLE_SHARE_OF_LINK = 0.7;
  private static final double SHARE_FOR_PAGE_CACHE = 0.25;

  /** What of a machine is neither heap nor buffer nor page cache, at most. */
  private static final long OTHER_BYTES = 2L << 30;

  /** rss.server.merge.memory and what connections use. */
  private static final long DIRECT_BESIDE_BUFFER = (128L + 384) << 20;

  /** With fewer, the loss of one is a third of everything or more. */
  private static final int LEAST_SERVERS = 3;

  private static final int IDLE_RUN_FILES = 256;
  private static final int DESCRIPTORS_OF_A_DIRECTORY = 64;
  private static final int OTHER_DESCRIPTORS = 200;

  /** Spilling has begun by then, as a rule. */
  private static final double HIGH_MARK = Defaults.MEMORY_HIGH_PERCENT / 100;

  private static final int READS_OF_A_RUN_FILE_AT_START = 3;
  private static final long HEAP_STEP = 512L << 20;

  /** More than a coordinator lists. */
  private static final int MOST_SERVERS = 10_000;

  private final SizingWorkload workload;
  private final Machine machine;
  private final double cpuSecondsPerGib;

  /**
   * @param cpuSecondsPerGib that a server spends on a GiB that is pushed and read again
   */
  Sizing(SizingWorkload workload, Machine machine, double cpuSecondsPerGib) {
    this.workload = workload;
    this.machine = machine;
    this.cpuSecondsPerGib = cpuSecondsPerGib;
  }

  /**
   * The fewest servers that do.
   *
   * @throws IllegalArgumentException one line: why no number of them does
   */
  SizingPlan plan() {
    List<Need> needs =
        new ArrayList<>(List.of(diskSpace(), diskBandwidth(), network(), cpu(), loss()));
    int enough = largest(needs).servers();
    Need memory = memory(enough);
    while (memory.servers() > enough && enough < MOST_SERVERS) {
      // With more servers each has less in its heap, and so more left for its buffer.
      enough = Math.min(MOST_SERVERS, memory.servers());
      memory = memory(enough);
    }
    needs.add(needs.size() - 1, memory);
    if (enough >= MOST_SERVERS) {
      throw new IllegalArgumentException(
          "more than "
              + MOST_SERVERS
              + " servers like this would be needed, for "
              + largest(needs).limit().words());
    }
    int servers = enough + 1;
    EachServer each = eachServer(servers);
    return new SizingPlan(
        servers,
        largest(needs).limit(),
        (long) workload.liveBytes(),
        needs,
        each,
        Settings.of(workload, servers, each));
  }

  private static Need largest(List<Need> needs) {
    // The first of equals, as they are listed.
    return needs.stream().max(Comparator.comparingInt(Need::servers)).orElseThrow();
  }

  private double neededDiskBytes() {
    return workload.liveBytes() / USABLE_SHARE_OF_DISK * DISK_RESERVE;
  }

  private Need diskSpace() {
    return Need.of(Limit.DISK_SPACE, neededDiskBytes(), machine.allDisksBytes());
  }

  private Need diskBandwidth() {
    double bytesPerSecond =
        switch (machine.diskKind()) {
          case SSD -> workload.pushedBytesPerSecond();
          case HDD -> 2 * (workload.pushedBytesPerSecond() + workload.readBytesPerSecond());
        };
    return Need.of(Limit.DISK_BANDWIDTH, bytesPerSecond, machine.allDisksBytesPerSecond());
  }

  private Need network() {
    return Need.of(
        Limit.NETWORK,
        workload.pushedBytesPerSecond() + workload.readBytesPerSecond(),
        USABLE_SHARE_OF_LINK * machine.linkBytesPerSecond());
  }

  private Need cpu() {
    return Need.of(
        Limit.CPU, workload.pushedBytesPerSecond() / GIB * cpuSecondsPerGib, machine.cores());
  }

  private Need loss() {
    return Need.of(Limit.LOSS, LEAST_SERVERS, 1);
  }

  private Need memory(int servers) {
    double left =
        machine.memoryBytes() * (1 - SHARE_FOR_PAGE_CACHE) - heapBytes(servers) - OTHER_BYTES;
    if (left < 1) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "--memory: a server needs %.1f GiB of heap and other memory here, and a quarter of"
                  + " the machine for the page cache: nothing is left for a buffer",
              (heapBytes(servers) + OTHER_BYTES) / GIB));
    }
    return Need.of(
        Limit.MEMORY, workload.pushedBytesPerSecond() * machine.diskKind().bufferSeconds(), left);
  }

  private long heapBytes(int servers) {
    int spread = Math.min(servers, Defaults.SERVERS_OF_A_SHUFFLE);
    long shuffles = ceilDiv((long) workload.shuffles() * spread, servers);
    long partitions = ceilDiv((long) workload.partitions() * workload.replicas(), spread);
    double tables =
        HeapSize.tableBytes(
            shuffles, partitions, workload.maps(), workload.liveBytes() / servers, 1);
    return roundedUp(HeapSize.leastBytes(tables), HEAP_STEP);
  }

  private EachServer eachServer(int servers) {
    long heap = heapBytes(servers);
    double least = workload.pushedBytesPerSecond() / servers * machine.diskKind().bufferSeconds();
    long buffer = roundedUp(least, least < GIB ? 64L << 20 : 1L << 30);
    int connections =
        (int)
            Math.min(
                Integer.MAX_VALUE / 2,
                (long) workload.executors() * Defaults.CONNECTIONS_TO_A_SERVER);
    double filesOfADisk = workload.liveBytes() / servers / machine.disks() / HeapSize.RUN_BYTES;
    return new EachServer(
        (long) (neededDiskBytes() / servers),
        heap,
        buffer,
        buffer + DIRECT_BESIDE_BUFFER,
        Math.max(0, machine.memoryBytes() - heap - buffer - OTHER_BYTES),
        connections,
        connections
            + IDLE_RUN_FILES
            + DESCRIPTORS_OF_A_DIRECTORY * machine.disks()
            + OTHER_DESCRIPTORS,
        (long) Math.ceil(buffer * HIGH_MARK / machine.allDisksBytesPerSecond()),
        (long)
            Math.ceil(
                filesOfADisk * READS_OF_A_RUN_FILE_AT_START * machine.diskKind().seekSeconds()));
  }

  private static long ceilDiv(long dividend, long divisor) {
    return (dividend + divisor - 1) / divisor;
  }

  private static long roundedUp(double bytes, long step) {
    return (long) Math.ceil(bytes / step) * step;
  }
}
