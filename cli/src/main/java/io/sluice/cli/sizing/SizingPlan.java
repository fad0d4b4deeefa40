package io.sluice.cli.sizing;

import java.util.List;

/**
 * Result of a sizing calculation.
 *
 * @param servers number of servers, including one spare
 * @param bottleneck resource that determines the number of servers
 * @param liveBytes stored bytes at one time, including copies
 * @param settings settings that differ from the defaults
 */
record SizingPlan(
    int servers,
    Limit bottleneck,
    long liveBytes,
    List<Need> needs,
    EachServer eachServer,
    List<Setting> settings) {
  SizingPlan {
    needs = List.copyOf(needs);
    settings = List.copyOf(settings);
  }

  /**
   * Demand of a resource, in the unit of its limit.
   *
   * @param demanded demand of the workload
   * @param offered capacity of one server
   * @param servers number of servers with enough capacity
   */
  record Need(Limit limit, double demanded, double offered, int servers) {
    static Need of(Limit limit, double demanded, double offered) {
      return new Need(limit, demanded, offered, (int) Math.ceil(demanded / offered));
    }
  }

  /**
   * Resources and load of one server at the peak.
   *
   * @param diskBytes required disk space, including reserve and watermarks
   * @param pageCacheBytes remaining memory of the machine
   * @param stopSeconds duration of a clean stop
   * @param startSeconds duration of reading the index of all run files at a start
   */
  record EachServer(
      long diskBytes,
      long heapBytes,
      long bufferBytes,
      long directBytes,
      long pageCacheBytes,
      int connections,
      int fileDescriptors,
      long stopSeconds,
      long startSeconds) {}

  /**
   * A setting.
   *
   * @param location file or environment of the setting
   */
  record Setting(String location, String name, String value) {}
}
