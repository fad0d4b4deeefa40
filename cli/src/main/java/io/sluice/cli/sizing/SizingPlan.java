package io.sluice.cli.sizing;

import java.util.List;

/**
 * A cluster for a workload.
 *
 * @param servers of which one may be missing
 * @param bottleneck what decides how many
 * @param liveBytes held at a time, copies counted
 * @param settings that differ from the defaults
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
   * What a limit asks for, in its unit.
   *
   * @param demanded by the workload
   * @param offered by one server
   * @param servers that have enough together
   */
  record Need(Limit limit, double demanded, double offered, int servers) {
    static Need of(Limit limit, double demanded, double offered) {
      return new Need(limit, demanded, offered, (int) Math.ceil(demanded / offered));
    }
  }

  /**
   * What one server has and does at the peak.
   *
   * @param diskBytes reserve and marks counted
   * @param pageCacheBytes what is left of the machine
   * @param stopSeconds of a clean stop
   * @param startSeconds of reading what lies on the disks
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
   * What to set.
   *
   * @param place file or environment
   */
  record Setting(String place, String name, String value) {}
}
