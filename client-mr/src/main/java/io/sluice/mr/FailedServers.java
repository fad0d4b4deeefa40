package io.sluice.mr;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.CounterGroup;
import org.apache.hadoop.mapreduce.Counters;

/**
 * Reports servers that failed from tasks to the application master. Encoded as a counter group with
 * one counter per server name, because Hadoop sends counters from every task to its master.
 */
public final class FailedServers {
  private static final String GROUP = "Sluice servers given up";

  private FailedServers() {}

  /** Counts a failure of a server in the counters of a task. */
  public static void report(Reporter task, String server) {
    task.incrCounter(GROUP, server, 1);
  }

  /** Names of the failed servers in the counters of an attempt. */
  public static List<String> in(Counters counters) {
    List<String> names = new ArrayList<>();
    for (CounterGroup group : counters) {
      if (group.getName().equals(GROUP)) {
        group.forEach(counter -> names.add(counter.getName()));
      }
    }
    return names;
  }
}
