package io.sluice.client.push;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How many bytes a session may have on their way to each server, learnt from the memory pressure
 * that acks report and shared by all sessions of a process: halved when a server is short of
 * memory, grown by a frame when it has plenty. Thread-safe.
 */
public final class PushWindows {
  /** Above this share of its memory a server is spilling: see its high watermark, 75 percent. */
  static final int HIGH_PERMILLE = 750;

  /** Below this it has room. */
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
        // Frames already on their way report the same pressure: they must not halve again.
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
   * @param frameBytes the least a window can be
   * @param maxBytes the most
   * @param nanosBetweenHalvings about a round trip
   */
  public PushWindows(int frameBytes, long maxBytes, long nanosBetweenHalvings) {
    this.frameBytes = frameBytes;
    this.maxBytes = Math.max(frameBytes, maxBytes);
    this.nanosBetweenHalvings = nanosBetweenHalvings;
  }

  /** Bytes that one session may have unacknowledged at the server. */
  long bytes(String server) {
    return windows.computeIfAbsent(server, s -> new Window()).bytes();
  }

  void onAck(String server, int memoryUsedPermille, long nowNanos) {
    windows.computeIfAbsent(server, s -> new Window()).onAck(memoryUsedPermille, nowNanos);
  }
}
