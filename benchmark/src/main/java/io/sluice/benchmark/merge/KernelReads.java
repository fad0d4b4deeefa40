package io.sluice.benchmark.merge;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Number of read system calls of this process, as counted by the kernel. */
final class KernelReads {
  private static final Path COUNTERS = Path.of("/proc/self/io");
  private static final String READS = "syscr: ";

  private KernelReads() {}

  static long now() throws IOException {
    for (String line : Files.readAllLines(COUNTERS)) {
      if (line.startsWith(READS)) {
        return Long.parseLong(line.substring(READS.length()));
      }
    }
    throw new IOException(COUNTERS + " has no line \"" + READS + "\"");
  }
}
