package io.sluice.server.cluster;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;

/** CPU time and heap use of this process. Thread-safe. */
public final class ProcessVitals {
  private final OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();

  /** CPU time of all threads since the process started; 0 if the platform does not report it. */
  public long cpuNanos() {
    return Math.max(0, system.getProcessCpuTime());
  }

  public long heapUsedBytes() {
    return memory.getHeapMemoryUsage().getUsed();
  }

  public long heapMaxBytes() {
    return memory.getHeapMemoryUsage().getMax();
  }
}
