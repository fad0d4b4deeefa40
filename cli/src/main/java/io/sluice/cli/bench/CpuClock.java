package io.sluice.cli.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** CPU time of this process, all threads. */
public final class CpuClock {

  /** 0 where the JVM cannot tell. */
  public long nanos() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
        ? Math.max(0, system.getProcessCpuTime())
        : 0;
  }
}
