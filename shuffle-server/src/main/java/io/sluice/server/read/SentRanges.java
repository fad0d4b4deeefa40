package io.sluice.server.read;

import io.sluice.server.log.LogPiece;
import io.sluice.server.log.StoredRun;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Sent ranges of run files, so that adjacent pieces are dropped from the page cache together. The
 * kernel caches files in folios of up to several MiB and drops only whole folios. Dropping single
 * pieces would leave most of the bytes in the cache. Not thread-safe.
 */
final class SentRanges {
  /** More than one folio of the page cache. */
  private static final long MAX_EXTENSION_BYTES = 8 << 20;

  /**
   * Maximum number of files and of ranges per file; pages of forgotten ranges may stay in the
   * cache.
   */
  private static final int MAX_RUNS = 1024;

  private static final int MAX_RANGES = 4096;

  private final Map<StoredRun, NavigableMap<Long, Long>> ends =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<StoredRun, NavigableMap<Long, Long>> eldest) {
          return size() > MAX_RUNS;
        }
      };

  /**
   * Records a sent piece and returns it extended by the sent bytes directly before and after it.
   *
   * @param piece its reference is transferred to the result
   */
  LogPiece.InFile widened(LogPiece.InFile piece) {
    NavigableMap<Long, Long> ranges = ends.computeIfAbsent(piece.run(), run -> new TreeMap<>());
    long from = piece.position();
    long to = from + piece.length();
    Map.Entry<Long, Long> before = ranges.floorEntry(from);
    if (before != null && before.getValue() >= from) {
      from = before.getKey();
      to = Math.max(to, before.getValue());
    }
    for (Map.Entry<Long, Long> next = ranges.ceilingEntry(from);
        next != null && next.getKey() <= to;
        next = ranges.ceilingEntry(from)) {
      to = Math.max(to, next.getValue());
      ranges.remove(next.getKey());
    }
    if (ranges.size() >= MAX_RANGES) {
      ranges.clear();
    }
    ranges.put(from, to);
    long first = Math.max(from, piece.position() - MAX_EXTENSION_BYTES);
    long end = Math.min(to, piece.position() + piece.length() + MAX_EXTENSION_BYTES);
    return new LogPiece.InFile(piece.run(), first, (int) (end - first));
  }
}
