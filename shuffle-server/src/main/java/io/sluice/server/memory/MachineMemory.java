package io.sluice.server.memory;

import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * Memory that this process can have.
 *
 * @param physicalBytes memory of the machine, or of the container that the process runs in
 * @param heapMaxBytes largest heap of this JVM ({@code -Xmx})
 * @param directMaxBytes most off-heap memory that this JVM gives out ({@code
 *     -XX:MaxDirectMemorySize}; as large as the heap when it is not set)
 */
public record MachineMemory(long physicalBytes, long heapMaxBytes, long directMaxBytes) {
  /**
   * Off-heap memory beside the arena: network buffers, and pieces of files on their way out.
   *
   * <p>Connections receive bodies straight into the arena, so what is left is small: at most an
   * eighth of the direct memory, and no more than 256 MiB of it.
   */
  private static final long MOST_RESERVE_BYTES = 256L << 20;

  private static final int RESERVE_DIVISOR = 8;

  /** Asks the JVM. */
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

  /** Most bytes that the arena may have: direct memory less what the network needs of it. */
  public long arenaMaxBytes() {
    return directMaxBytes - Math.min(MOST_RESERVE_BYTES, directMaxBytes / RESERVE_DIVISOR);
  }
}
