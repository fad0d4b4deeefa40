package io.sluice.spark;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Detects repeated fetch failures with one cause: the same servers, in a later attempt of a stage.
 * Each repetition uses up one of the few attempts that Spark allows ({@code
 * spark.stage.maxConsecutiveAttempts}), and a reader names only outputs that it tried to read. So
 * after the first failure only the named outputs are unregistered. After the second, all outputs
 * are that these servers stored at the time of the first. Not thread-safe.
 */
final class RepeatedLosses {
  private final Map<Integer, Map<List<String>, First>> firsts = new HashMap<>();

  /** An attempt of a stage. */
  record StageAttempt(int stage, int attempt) {}

  /**
   * The first failure with these servers.
   *
   * @param highestMapId highest id of the attempts registered at that time
   */
  private record First(StageAttempt by, long highestMapId) {}

  /**
   * Records a failure.
   *
   * @param servers blamed servers, ascending
   * @param highestMapId highest id of the shuffle's attempts that are registered now
   * @return for a repeated failure: the highest id of the attempts registered at the first failure
   */
  OptionalLong addFailure(int shuffle, List<String> servers, StageAttempt by, long highestMapId) {
    Map<List<String>, First> ofShuffle = firsts.computeIfAbsent(shuffle, any -> new HashMap<>());
    First first = ofShuffle.putIfAbsent(servers, new First(by, highestMapId));
    if (first == null
        || first.by().equals(by)
        || (first.by().stage() == by.stage() && first.by().attempt() > by.attempt())) {
      return OptionalLong.empty();
    }
    // A third failure then covers all attempts registered until now.
    ofShuffle.put(servers, new First(by, highestMapId));
    return OptionalLong.of(first.highestMapId());
  }

  /** Forgets all shuffles but these. */
  void retain(Collection<Integer> shuffles) {
    firsts.keySet().retainAll(shuffles);
  }
}
