package io.sluice.coordinator.cluster;

import java.util.List;

/**
 * What the tasks of an application transferred and waited for, as its driver reported it: sums
 * since the start of the driver. For operators only. Immutable.
 *
 * @param concurrentTasks maximum number of tasks that ran at the same time; 0: unknown
 * @param servers servers for which tasks waited longest
 * @param shuffles shuffles whose longest read exceeds their mean read most
 */
public record TaskReport(
    Bytes bytes,
    Retries retries,
    int concurrentTasks,
    List<ServerTime> servers,
    List<ShuffleReads> shuffles) {
  public static final TaskReport NONE =
      new TaskReport(new Bytes(0, 0, 0, 0), new Retries(0, 0, 0), 0, List.of(), List.of());

  public TaskReport {
    servers = List.copyOf(servers);
    shuffles = List.copyOf(shuffles);
  }

  /** Bytes of blocks that tasks wrote to and read from servers and local output. */
  public record Bytes(long pushed, long localWritten, long read, long localRead) {}

  /**
   * Repeated requests.
   *
   * @param replacementServers number of times that a map attempt continued on a replacement server
   */
  public record Retries(long pushes, long reads, long replacementServers) {}

  /**
   * Bytes that tasks exchanged with a server, and the time that they waited for it.
   *
   * @param memoryWaitMs part of the waits while the server was short of memory and wrote to no disk
   * @param diskWaitMs part of the waits while disks of the server were written or read
   */
  public record ServerTime(
      String server,
      long pushedBytes,
      long readBytes,
      long pushWaitMs,
      long readWaitMs,
      long memoryWaitMs,
      long diskWaitMs) {
    public long waitMs() {
      return pushWaitMs + readWaitMs;
    }

    /** Part of the waits that is due to neither memory nor disks of the server. */
    public long otherWaitMs() {
      return Math.max(0, waitMs() - memoryWaitMs - diskWaitMs);
    }

    public long bytes() {
      return pushedBytes + readBytes;
    }
  }

  /**
   * Reads of one shuffle. A read lasts from its first request until its task has processed its last
   * record.
   */
  public record ShuffleReads(
      int shuffle, long reads, long bytes, long durationMs, long longestMs, long longestBytes) {}
}
