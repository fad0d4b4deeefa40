package io.sluice.client.push;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Maximum in-flight bytes of one session at each server. All sessions of a process share the
 * windows. A window is halved when an acknowledgement reports memory pressure, and grows by one
 * frame when it reports free memory. Thread-safe.
 */
public final class PushWindows {
  /**
   * Memory use from which on a window is halved: the default high watermark of servers, 75 percent.
   */
  static final int HIGH_PERMILLE = 750;

  /** Memory use below which a window grows. */
  static final int LOW_PERMILLE = 500;

  private final int frameBytes;
  private final long maxBytes;
  private final long nanosBetweenHalvings;
  private final ConcurrentMap<String, Window> windows = new ConcurrentHashMap<>();

  /** Guards itself. */
  private final class Window {
    private long bytes = Math.max(frameBytes, maxBytes / 2);
    private long halvedNanos;
    private boolean halved;

    synchronized long bytes() {
      return bytes;
    }

    synchronized void onAck(int memoryUsedPermille, long nowNanos) {
      if (memoryUsedPermille >= HIGH_PERMILLE) {
        // Acknowledgements of frames in flight report the same pressure and must not halve again.
        if (!halved || nowNanos - halvedNanos >= nanosBetweenHalvings) {
          bytes = Math.max(frameBytes, bytes / 2);
          halvedNanos = nowNanos;
          halved = true;
        }
      } else if (memoryUsedPermille < LOW_PERMILLE) {
        bytes = Math.min(maxBytes, bytes + frameBytes);
      }
    }
  }

  /**
   * @param frameBytes minimum window
   * @param maxBytes maximum window
   * @param nanosBetweenHalvings minimum time between two halvings; about one round trip
   */
  public PushWindows(int frameBytes, long maxBytes, long nanosBetweenHalvings) {
    this.frameBytes = frameBytes;
    this.maxBytes = Math.max(frameBytes, maxBytes);
    this.nanosBetweenHalvings = nanosBetweenHalvings;
  }

  /** Maximum in-flight bytes of one session at a server. */
  long bytes(String server) {
    return windows.computeIfAbsent(server, s -> new Window()).bytes();
  }

  void onAck(String server, int memoryUsedPermille, long nowNanos) {
    windows.computeIfAbsent(server, s -> new Window()).onAck(memoryUsedPermille, nowNanos);
  }
}
