package io.sluice.server.background;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * What is written out next: of the application that has most in memory, the shuffle that has most.
 * An application with many small shuffles is written out before one with a single larger shuffle
 * that has less in all, so that memory that is short stays with those who use little of it.
 */
final class FullestShuffle {
  private FullestShuffle() {}

  /** Null if nobody has anything. */
  static <S> S of(
      Iterable<? extends S> shuffles,
      Function<? super S, String> application,
      ToLongFunction<? super S> bufferedBytes) {
    Map<String, Long> byApplication = new HashMap<>();
    for (S shuffle : shuffles) {
      byApplication.merge(
          application.apply(shuffle), bufferedBytes.applyAsLong(shuffle), Long::sum);
    }
    String largest = null;
    long most = 0;
    for (Map.Entry<String, Long> entry : byApplication.entrySet()) {
      if (entry.getValue() > most) {
        largest = entry.getKey();
        most = entry.getValue();
      }
    }
    S fullest = null;
    long mostOfShuffle = 0;
    for (S shuffle : shuffles) {
      // Bytes may have come or gone since.
      long bytes = bufferedBytes.applyAsLong(shuffle);
      if (bytes > mostOfShuffle && application.apply(shuffle).equals(largest)) {
        fullest = shuffle;
        mostOfShuffle = bytes;
      }
    }
    return fullest;
  }
}
