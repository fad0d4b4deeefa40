package io.sluice.localcluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * CPU time that a YARN cluster has used since its start, in milliseconds, in steps of 10 ms.
 *
 * @param serversMs the process of the resource manager, the node managers with Hadoop's shuffle
 *     handler, and the history server
 * @param containersMs all containers that have ended: each was a child of that process
 */
public record YarnCpu(long serversMs, long containersMs) {
  public static final YarnCpu ZERO = new YarnCpu(0, 0);

  /** Resolution of the kernel's counters for programs. */
  private static final long MS_PER_TICK = 10;

  /** Indexes of fields, counted from the field after the command's name. */
  private static final int UTIME = 11;

  private static final int STIME = 12;
  private static final int CUTIME = 13;
  private static final int CSTIME = 14;

  static YarnCpu of(long pid) throws IOException {
    return parse(
        Files.readString(
            Path.of("/proc", Long.toString(pid), "stat"), StandardCharsets.ISO_8859_1));
  }

  /**
   * @param stat as in {@code proc_pid_stat(5)}
   */
  static YarnCpu parse(String stat) {
    // The name is in parentheses and may contain blanks and parentheses.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ");
    return new YarnCpu(
        MS_PER_TICK * (Long.parseLong(fields[UTIME]) + Long.parseLong(fields[STIME])),
        MS_PER_TICK * (Long.parseLong(fields[CUTIME]) + Long.parseLong(fields[CSTIME])));
  }

  public YarnCpu since(YarnCpu earlier) {
    return new YarnCpu(serversMs - earlier.serversMs, containersMs - earlier.containersMs);
  }

  public long totalMs() {
    return serversMs + containersMs;
  }
}
