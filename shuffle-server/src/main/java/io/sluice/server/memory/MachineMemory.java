package io.sluice.server.memory;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * Memory available to this process.
 *
 * @param physicalBytes memory of the machine, or of the container that the process runs in
 * @param heapMaxBytes maximum heap of this JVM ({@code -Xmx})
 * @param directMaxBytes maximum direct memory of this JVM ({@code -XX:MaxDirectMemorySize}; the
 *     maximum heap if it is not set)
 */
public record MachineMemory(long physicalBytes, long heapMaxBytes, long directMaxBytes) {
  /**
   * Direct memory reserved for purposes other than the arena: network buffers and file data that is
   * being sent.
   *
   * <p>Connections receive bodies directly into the arena, so the reserve is small: an eighth of
   * the direct memory, at most 256 MiB.
   */
  private static final long MAX_RESERVE_BYTES = 256L << 20;

  private static final int RESERVE_DIVISOR = 8;

  /** Reads the limits of this JVM. */
  public static MachineMemory ofThisProcess() {
    long heapMax = Runtime.getRuntime().maxMemory();
    long direct = 0;
    HotSpotDiagnosticMXBean hotSpot =
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
    if (hotSpot != null) {
      direct = Long.parseLong(hotSpot.getVMOption("MaxDirectMemorySize").getValue());
    }
    return new MachineMemory(
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize(),
        heapMax,
        direct > 0 ? direct : heapMax);
  }

  /** Maximum size of the arena: direct memory without the reserve. */
  public long arenaMaxBytes() {
    return directMaxBytes - Math.min(MAX_RESERVE_BYTES, directMaxBytes / RESERVE_DIVISOR);
  }
}
