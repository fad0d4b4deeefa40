package io.sluice.benchmark.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** CPU time and resident memory of a process of this user, from {@code /proc}. */
public final class ProcessMeter {
  private static final String RESIDENT = "VmRSS:";
  private static final String RESIDENT_PEAK = "VmHWM:";

  /** Value of {@code clear_refs} that sets the peak to the present resident memory. */
  private static final String RESET_PEAK = "5";

  private final long pid;

  public ProcessMeter(long pid) {
    this.pid = pid;
  }

  /** CPU time since the start of the process, in seconds, in steps of 10 ms. */
  public double cpuSeconds() {
    return ProcessHandle.of(pid)
            .flatMap(process -> process.info().totalCpuDuration())
            .orElse(Duration.ZERO)
            .toMillis()
        / 1e3;
  }

  /** Resident memory in bytes. */
  public long residentBytes() throws IOException {
    return bytes(RESIDENT);
  }

  /** Highest resident memory in bytes since the start of the process or the last reset. */
  public long residentPeakBytes() throws IOException {
    return bytes(RESIDENT_PEAK);
  }

  /** Sets the peak to the present resident memory. */
  public void resetResidentPeak() throws IOException {
    Files.writeString(file("clear_refs"), RESET_PEAK);
  }

  private long bytes(String field) throws IOException {
    List<String> lines = Files.readAllLines(file("status"));
    for (String line : lines) {
      if (line.startsWith(field)) {
        return Long.parseLong(line.replaceAll("\\D", "")) << 10;
      }
    }
    throw new IOException("process " + pid + " has no field " + field + " in its status");
  }

  private Path file(String name) {
    return Path.of("/proc", Long.toString(pid), name);
  }
}
