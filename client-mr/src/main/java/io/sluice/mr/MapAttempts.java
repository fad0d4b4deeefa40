package io.sluice.mr;

import io.sluice.client.push.MapAttempt;
import org.apache.hadoop.mapreduce.TaskAttemptID;

/** The names of map attempts: Hadoop's, and what servers know them by. */
public final class MapAttempts {
  private MapAttempts() {}

  /** Unique in the job: the number of the task above that of its attempt. */
  public static MapAttempt of(TaskAttemptID attempt) {
    int task = attempt.getTaskID().getId();
    return new MapAttempt((long) task << Integer.SIZE | attempt.getId(), task);
  }
}
