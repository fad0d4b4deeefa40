package io.sluice.spark;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Recognises fetch failures that go on for one cause: the same servers, in a later attempt of a
 * stage. Each such repetition costs a stage one of the few attempts that Spark gives it ({@code
 * spark.stage.maxConsecutiveAttempts}), and a reader can only name what it looked for itself. So
 * the first failure is taken exactly, and the second one as a loss of all that those servers had by
 * the time of the first. Not thread-safe.
 */
final class RepeatedLosses {
  private final Map<Integer, Map<List<String>, First>> firsts = new HashMap<>();

  /** A stage's attempt. */
  record StageAttempt(int stage, int attempt) {}

  /**
   * When something was found missing at these servers for the first time.
   *
   * @param highestMapId of all attempts that counted by then
   */
  private record First(StageAttempt by, long highestMapId) {}

  /**
   * Notes a failure.
   *
   * @param servers that are to blame, ascending
   * @param highestMapId of all attempts of the shuffle that count now
   * @return if this is a repetition: the highest id of those attempts that counted at the first
   *     time
   */
  OptionalLong note(int shuffle, List<String> servers, StageAttempt by, long highestMapId) {
    Map<List<String>, First> ofShuffle = firsts.computeIfAbsent(shuffle, any -> new HashMap<>());
    First first = ofShuffle.putIfAbsent(servers, new First(by, highestMapId));
    if (first == null
        || first.by().equals(by)
        || (first.by().stage() == by.stage() && first.by().attempt() > by.attempt())) {
      return OptionalLong.empty();
    }
    // Should it go on, all that counted until now.
    ofShuffle.put(servers, new First(by, highestMapId));
    return OptionalLong.of(first.highestMapId());
  }

  /** Forgets all shuffles but these. */
  void retain(Collection<Integer> shuffles) {
    firsts.keySet().retainAll(shuffles);
  }
}
