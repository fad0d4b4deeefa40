package io.sluice.mr;

import io.sluice.client.push.MapAttempt;
import org.apache.hadoop.mapreduce.TaskAttemptID;

/** Converts Hadoop's ids of map attempts to Sluice's. */
public final class MapAttempts {
  private MapAttempts() {}

  /**
   * The attempt's id is unique in the job: task number in the upper, attempt number in the lower 32
   * bits.
   */
  public static MapAttempt of(TaskAttemptID attempt) {
    int task = attempt.getTaskID().getId();
    return new MapAttempt((long) task << Integer.SIZE | attempt.getId(), task);
  }
}
