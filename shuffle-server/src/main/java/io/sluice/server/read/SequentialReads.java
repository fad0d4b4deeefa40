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

  // Least recently read first. Guarded by this.
  private final Map<Source, Stream> streams = new LinkedHashMap<>();

  private record Source(ClientConnection connection, ShuffleKey shuffle, int partition) {}

  /** Reads of one connection, each of which starts at the end of the one before. Thread-safe. */
  static final class Stream {
    private final long start;
    // Guarded by the outer object.
    private long end;
    private volatile boolean continued;
    private volatile boolean waitedForDisk;

    private Stream(long start) {
      this.start = start;
    }

    /**
     * Whether the client will probably read the bytes after the last read next: it began at the
     * start of the partition, or has already continued a read.
     */
    boolean isSequential() {
      return continued || start == 0;
    }

    /** Records that bytes of a read were not in memory, so that the next ones are read ahead. */
    void waitsForDisk() {
      waitedForDisk = true;
    }

    /**
     * Whether bytes after the last read should be read ahead. While all bytes are in memory,
     * looking for those that are not would cost as much as a fifth of sending them.
     */
    boolean readsAhead() {
      return continued && waitedForDisk;
    }
  }

  /** Records a read; returns the stream that it continues, or a new one. */
  synchronized Stream add(ClientConnection connection, ShuffleKey shuffle, LogRange range) {
    Source source = new Source(connection, shuffle, range.partition());
    // Removed first, so that it becomes the newest entry.
    Stream stream = streams.remove(source);
    if (stream != null && stream.end == range.offset()) {
      stream.continued = true;
    } else {
      stream = new Stream(range.offset());
    }
    stream.end = range.offset() + range.length();
    streams.put(source, stream);
    if (streams.size() > MAX_STREAMS) {
      streams.remove(streams.keySet().iterator().next());
    }
    return stream;
  }
}
