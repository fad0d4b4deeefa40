package io.sluice.client.coordinator;

import io.sluice.proto.ServerTime;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Selects the servers of a bounded report of tasks. */
public final class LongestWaits {
  private LongestWaits() {}

  /**
   * The servers that tasks waited for longest, the longest wait first.
   *
   * @param max maximum number of servers
   */
  public static List<ServerTime> of(Stream<ServerTime> servers, int max) {
    return servers
        .sorted(
            Comparator.comparingLong(
                    (ServerTime time) -> time.getPushWaitMs() + time.getReadWaitMs())
                .reversed())
        .limit(max)
        .collect(Collectors.toList());
  }
}
