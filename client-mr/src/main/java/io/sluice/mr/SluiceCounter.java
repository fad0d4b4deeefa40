package io.sluice.mr;

import org.apache.hadoop.mapreduce.Counter;
import org.apache.hadoop.mapreduce.CounterGroup;
import org.apache.hadoop.mapreduce.Counters;

/**
 * Job counters of Sluice, displayed with the names in {@code SluiceCounter.properties}. From the
 * counters of a map attempt the application master, also after a restart, derives the location of
 * its output.
 */
public enum SluiceCounter {
  /** Map side: segments pushed to servers. Above 0 if the whole output of an attempt was pushed. */
  PUSHED_SEGMENTS,
  /** Map side: bytes of the pushed segments, without segment headers. */
  PUSHED_BYTES,
  /** Map side: attempts whose node manager has the whole output. */
  LOCAL_OUTPUTS,
  /** Reduce side: segments read from servers. */
  SERVER_SEGMENTS,
  /** Reduce side: bytes of the segments read from servers, without segment headers. */
  SERVER_BYTES,
  /** Reduce side: map attempts whose segments matched their receipts. */
  MATCHED_RECEIPTS,
  /** Reduce side: map attempts whose segments did not match their receipts. */
  WRONG_RECEIPTS;

  /** Value of the counter; 0 if absent. Does not create the counter. */
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
