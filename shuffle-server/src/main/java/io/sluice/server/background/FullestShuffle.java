package io.sluice.server.background;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Selects the next shuffle to spill: the largest shuffle in memory of the application with the most
 * bytes in memory. So an application with many small shuffles is spilled before one with a larger
 * shuffle but fewer bytes in total. Applications that use little memory keep it.
 */
final class FullestShuffle {
  private FullestShuffle() {}

  /** Returns null if no shuffle has bytes in memory. */
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
    long maxBytes = 0;
    for (Map.Entry<String, Long> entry : byApplication.entrySet()) {
      if (entry.getValue() > maxBytes) {
        largest = entry.getKey();
        maxBytes = entry.getValue();
      }
    }
    S fullest = null;
    long maxShuffleBytes = 0;
    for (S shuffle : shuffles) {
      // Sizes may have changed since.
      long bytes = bufferedBytes.applyAsLong(shuffle);
      if (bytes > maxShuffleBytes && application.apply(shuffle).equals(largest)) {
        fullest = shuffle;
        maxShuffleBytes = bytes;
      }
    }
    return fullest;
  }
}
