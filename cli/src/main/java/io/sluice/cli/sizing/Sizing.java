package io.sluice.cli.sizing;

import io.sluice.cli.sizing.SizingPlan.EachServer;
import io.sluice.cli.sizing.SizingPlan.Need;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Calculations of docs/sizing.md, which explains them. Immutable. */
final class Sizing {
  private static final double GIB = 1L << 30;

  /** Share of a disk below the low watermark. */
  private static final double USABLE_SHARE_OF_DISK =
      Defaults.DISK_CAPACITY_RATIO * Defaults.DISK_LOW_PERCENT / 100;

  /** Disk reserve for uneven load. */
  private static final double DISK_RESERVE = 1.5;

  private static final double USABLE_SHARE_OF_LINK = 0.7;
  private static final double SHARE_FOR_PAGE_CACHE = 0.25;

  /**
   * Maximum memory of a server besides heap and buffer, with the default memory for merges. {@code
   * bench magnet} checks it.
   */
  private static final long REST_BYTES = 300_000_000;

  /** Share of the heap that G1 needs for its tables in addition. */
  private static final double SHARE_OF_HEAP_TABLES = 1.0 / 16;

  /** Direct memory besides the buffer: rss.server.merge.memory and connections. */
  private static final long DIRECT_BESIDE_BUFFER = (64L + 448) << 20;

  /**
   * Minimum number of servers: with fewer, the loss of one server loses more than a third of the
   * data.
   */
  private static final int MIN_SERVERS = 3;

  private static final int IDLE_RUN_FILES = 256;
  private static final int DESCRIPTORS_OF_A_DIRECTORY = 64;
  private static final int OTHER_DESCRIPTORS = 200;

  /** High watermark: memory in use when spilling starts. */
  private static final double HIGH_MARK = Defaults.MEMORY_HIGH_PERCENT / 100;

  private static final int READS_OF_A_RUN_FILE_AT_START = 3;
  private static final long HEAP_STEP = 512L << 20;

  /** Maximum number of servers in a plan. */
  private static final int MAX_SERVERS = 10_000;

  private final SizingWorkload workload;
  private final Machine machine;
  private final double cpuSecondsPerGib;

  /**
   * @param cpuSecondsPerGib CPU time of a server for pushing and reading one GiB
   */
  Sizing(SizingWorkload workload, Machine machine, double cpuSecondsPerGib) {
    this.workload = workload;
    this.machine = machine;
    this.cpuSecondsPerGib = cpuSecondsPerGib;
  }

  /**
   * Computes the minimum number of servers.
   *
   * @throws IllegalArgumentException if no number of servers is required, with a message of one
   *     line
   */
  SizingPlan plan() {
    List<Need> needs =
        new ArrayList<>(List.of(diskSpace(), diskBandwidth(), network(), cpu(), loss()));
    int required = largest(needs).servers();
    Need memory = memory(required);
    while (memory.servers() > required && required < MAX_SERVERS) {
      // More servers need less heap each, which leaves more memory for the buffer.
      required = Math.min(MAX_SERVERS, memory.servers());
      memory = memory(required);
    }
    needs.add(needs.size() - 1, memory);
    if (required >= MAX_SERVERS) {
      throw new IllegalArgumentException(
          "more than "
              + MAX_SERVERS
              + " servers of this size are needed for "
              + largest(needs).limit().label());
    }
    int servers = required + 1;
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
    // For equal numbers, the first one in the list.
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
    return Need.of(Limit.LOSS, MIN_SERVERS, 1);
  }

  private Need memory(int servers) {
    double left =
        machine.memoryBytes() * (1 - SHARE_FOR_PAGE_CACHE) - withoutBuffer(heapBytes(servers));
    if (left < 1) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "--memory is too small: a server needs %.1f GiB of heap and other memory and "
                  + "25 %% of the"
                  + " machine for the page cache, which leaves no memory for the buffer",
              withoutBuffer(heapBytes(servers)) / GIB));
    }
    return Need.of(
        Limit.MEMORY, workload.pushedBytesPerSecond() * machine.diskKind().bufferSeconds(), left);
  }

  /** Memory of a server, without the buffer. */
  private static double withoutBuffer(long heapBytes) {
    return heapBytes * (1 + SHARE_OF_HEAP_TABLES) + REST_BYTES;
  }

  private long heapBytes(int servers) {
    int spread = Math.min(servers, Defaults.SERVERS_OF_A_SHUFFLE);
    long shuffles = ceilDiv((long) workload.shuffles() * spread, servers);
    long partitions = ceilDiv((long) workload.partitions() * workload.replicas(), spread);
    double tables =
        HeapSize.tableBytes(
            shuffles, partitions, workload.maps(), workload.liveBytes() / servers, 1);
    return roundedUp(HeapSize.minBytes(tables), HEAP_STEP);
  }

  private EachServer eachServer(int servers) {
    long heap = heapBytes(servers);
    double minBuffer =
        workload.pushedBytesPerSecond() / servers * machine.diskKind().bufferSeconds();
    long buffer = roundedUp(minBuffer, minBuffer < GIB ? 64L << 20 : 1L << 30);
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
        Math.max(0, machine.memoryBytes() - buffer - (long) withoutBuffer(heap)),
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
