package io.sluice.mr.am;

import io.sluice.mr.AssignmentVariable;
import io.sluice.mr.SluiceCounter;
import io.sluice.proto.ShuffleReceipts;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;

/** The receipts of a job, from the counters of its attempts. Thread-safe. */
final class JobReceipts {
  private record OfReduce(long matched, long wrong) {
    static final OfReduce NONE = new OfReduce(0, 0);
  }

  private final Map<TaskAttemptId, OfReduce> reduces = new HashMap<>();
  private long records;
  private long bytes;
  private long matched;
  private long wrong;

  /**
   * Adds a completed map attempt.
   *
   * @param counted its counters
   */
  synchronized void addMap(Counters counted) {
    records += counted.findCounter(TaskCounter.MAP_OUTPUT_RECORDS).getValue();
    bytes += counted.findCounter(TaskCounter.MAP_OUTPUT_BYTES).getValue();
  }

  /**
   * Adds a reduce attempt, which may still run. An attempt can be added several times; its latest
   * counters count.
   *
   * @return number of wrong receipts that were not added before
   */
  synchronized int addReduce(TaskAttemptId id, Counters counted) {
    OfReduce now =
        new OfReduce(
            SluiceCounter.MATCHED_RECEIPTS.in(counted), SluiceCounter.WRONG_RECEIPTS.in(counted));
    OfReduce before = reduces.getOrDefault(id, OfReduce.NONE);
    reduces.put(id, now);
    matched += now.matched - before.matched;
    wrong += now.wrong - before.wrong;
    return (int) Math.max(0, Math.min(Integer.MAX_VALUE, now.wrong - before.wrong));
  }

  /** For the renewal of the lease. */
  synchronized List<ShuffleReceipts> all() {
    return List.of(
        ShuffleReceipts.newBuilder()
            .setShuffle(AssignmentVariable.SHUFFLE)
            .setRecords(records)
            .setBytes(bytes)
            .setMatched(matched)
            .setWrong(wrong)
            .build());
  }
}
