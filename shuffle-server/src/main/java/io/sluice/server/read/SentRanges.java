package io.sluice.server.read;

import io.sluice.server.log.LogPiece;
import io.sluice.server.log.StoredRun;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * What was sent of run files, so that neighbouring pieces can be dropped from the page cache
 * together: the system caches files in units of up to some MiB and forgets a unit only as a whole,
 * so that dropping pieces one by one leaves most of them there. Not thread-safe.
 */
final class SentRanges {
  /** More than one unit of any page cache. */
  private static final long MAX_REACH_BYTES = 8 << 20;

  /** Files and ranges that are remembered at most; of what is forgotten some pages may stay. */
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
   * Notes a piece and gives it back widened to what was sent right before and after it.
   *
   * @param piece its reference goes over to the result
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
    long first = Math.max(from, piece.position() - MAX_REACH_BYTES);
    long end = Math.min(to, piece.position() + piece.length() + MAX_REACH_BYTES);
    return new LogPiece.InFile(piece.run(), first, (int) (end - first));
  }
}
