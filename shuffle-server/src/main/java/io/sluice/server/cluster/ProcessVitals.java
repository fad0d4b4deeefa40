package io.sluice.server.cluster;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.common.auth.CertificateExpiry;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;

/** CPU time, heap use and certificates of this process. Thread-safe. */
public final class ProcessVitals {
  private final OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
  private final CertificateExpiry certificates;

  public ProcessVitals(CertificateExpiry certificates) {
    this.certificates = certificates;
  }

  /** CPU time of all threads since the process started; 0 if the platform does not report it. */
  public long cpuNanos() {
    return Math.max(0, system.getProcessCpuTime());
  }

  /** Earliest expiry of a certificate in milliseconds since 1970; 0: none. */
  public long certificateExpiryMs() {
    return certificates.earliestMs();
  }

  public long heapUsedBytes() {
    return memory.getHeapMemoryUsage().getUsed();
  }

  public long heapMaxBytes() {
    return memory.getHeapMemoryUsage().getMax();
  }
}
