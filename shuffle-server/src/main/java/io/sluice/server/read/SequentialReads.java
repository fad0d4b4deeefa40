package io.sluice.server.read;

import io.sluice.server.log.LogRange;
import io.sluice.server.log.ShuffleKey;
import io.sluice.transport.server.ClientConnection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Detects partitions that are read sequentially. Tracks the latest {@link #MAX_STREAMS} streams.
 * Thread-safe.
 */
final class SequentialReads {
  private static final int MAX_STREAMS = 4_096;

  // Expected offset of each stream's next read; least recently read first. Guarded by this.
  private final Map<Stream, Long> ends = new LinkedHashMap<>();

  private record Stream(ClientConnection connection, ShuffleKey shuffle, int partition) {}

  /**
   * Records a read; returns whether it starts at the end of the same connection's previous read.
   */
  synchronized boolean continues(ClientConnection connection, ShuffleKey shuffle, LogRange range) {
    Stream stream = new Stream(connection, shuffle, range.partition());
    // Removed first, so that it becomes the newest entry.
    Long end = ends.remove(stream);
    ends.put(stream, range.offset() + range.length());
    if (ends.size() > MAX_STREAMS) {
      ends.remove(ends.keySet().iterator().next());
    }
    return end != null && end == range.offset();
  }
}
