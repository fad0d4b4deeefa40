package io.sluice.mr;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.CounterGroup;
import org.apache.hadoop.mapreduce.Counters;

/**
 * How tasks tell the application master which servers they waited for in vain: a group of counters,
 * one named after each server, because counters are what Hadoop carries from any task to its
 * master.
 */
public final class FailedServers {
  private static final String GROUP = "Sluice servers given up";

  private FailedServers() {}

  public static void report(Reporter task, String server) {
    task.incrCounter(GROUP, server, 1);
  }

  /** The names in the counters of an attempt. */
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
