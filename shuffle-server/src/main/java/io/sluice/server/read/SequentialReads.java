package io.sluice.server.read;

import io.sluice.server.log.LogRange;
import io.sluice.server.log.ShuffleKey;
import io.sluice.transport.server.ClientConnection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Sees which partitions are being read from front to back. Remembers the latest few thousand.
 * Thread-safe.
 */
final class SequentialReads {
  private static final int MAX_STREAMS = 4_096;

  // Where each stream's next read begins if it goes on; longest unread first. Guarded by this.
  private final Map<Stream, Long> ends = new LinkedHashMap<>();

  private record Stream(ClientConnection connection, ShuffleKey shuffle, int partition) {}

  /** Takes note of a read; tells whether it goes on where that client's last one ended. */
  synchronized boolean continues(ClientConnection connection, ShuffleKey shuffle, LogRange range) {
    Stream stream = new Stream(connection, shuffle, range.partition());
    // Taken out first, so that it becomes the newest.
    Long end = ends.remove(stream);
    ends.put(stream, range.offset() + range.length());
    if (ends.size() > MAX_STREAMS) {
      ends.remove(ends.keySet().iterator().next());
    }
    return end != null && end == range.offset();
  }
}
