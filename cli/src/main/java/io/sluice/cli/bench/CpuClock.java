package io.sluice.cli.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** CPU time of all threads of this process. */
public final class CpuClock {

  /** CPU time in nanoseconds; 0 if the JVM does not provide it. */
  public long nanos() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
        ? Math.max(0, system.getProcessCpuTime())
        : 0;
  }
}
