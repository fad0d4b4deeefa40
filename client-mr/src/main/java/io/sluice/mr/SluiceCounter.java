package io.sluice.mr;

import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.CounterGroup;
import org.apache.hadoop.mapreduce.Counters;

/**
 * What tasks count besides Hadoop's own counters. A job's counters show them under their names in
 * {@code SluiceCounter.properties}; those of a map attempt also tell the application master, and
 * one that is started again, where its output is.
 */
public enum SluiceCounter {
  /** Map side: segments that servers have. Not 0 once the whole output of an attempt is there. */
  PUSHED_SEGMENTS,
  /** Map side: bytes of these, as they would be in Hadoop's own map output. */
  PUSHED_BYTES,
  /** Map side: attempts whose whole output is at their node manager. */
  LOCAL_OUTPUTS,
  /** Reduce side: segments that came from servers. */
  SERVER_SEGMENTS,
  /** Reduce side: bytes of these, as they would come from node managers. */
  SERVER_BYTES;

  /** Its value, without leaving a trace where nobody has counted. */
  public long in(Counters counters) {
    for (CounterGroup group : counters) {
      if (group.getName().equals(SluiceCounter.class.getName())) {
        Counter counter = group.findCounter(name(), false);
        return counter == null ? 0 : counter.getValue();
      }
    }
    return 0;
  }
}
