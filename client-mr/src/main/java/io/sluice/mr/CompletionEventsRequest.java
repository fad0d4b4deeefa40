package io.sluice.mr;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.MapTaskCompletionEventsUpdate;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;

/**
 * What a task asks the application master of the job's assignment, over Hadoop's own connection
 * between the two: as a request for completion events that Hadoop never makes, because it begins
 * before the first of them. The answer has no event if the task knows the newest assignment, and
 * otherwise one with the assignment in place of an address.
 *
 * <pre>
 *  first event wanted   -1 - the generation that the task knows
 *  most events          index of a server that the task has waited for in vain, or -1
 * </pre>
 *
 * @param knownGeneration of the task's assignment
 * @param server index of the server to pass by; {@link #NONE}: only the newest is asked for
 */
public record CompletionEventsRequest(int knownGeneration, int server) {
  public static final int NONE = -1;

  /** Hadoop's way to ask for completion events. */
  public interface Master {
    MapTaskCompletionEventsUpdate completionEvents(
        JobID job, int first, int most, TaskAttemptID asking) throws IOException;
  }

  /** Whether a request is a question. */
  public static boolean isOne(int first) {
    return first < 0;
  }

  /** Reads a request that is one. */
  public static CompletionEventsRequest of(int first, int most) {
    return new CompletionEventsRequest(-1 - first, most);
  }

  /**
   * Asks, and waits for the answer.
   *
   * @return the newest assignment; {@code known} if that is it
   */
  public static ShuffleAssignment ask(
      Master master, TaskAttemptID asking, ShuffleAssignment known, int server) throws IOException {
    TaskCompletionEvent[] events =
        master
            .completionEvents(asking.getJobID(), -1 - known.generation(), server, asking)
            .getMapTaskCompletionEvents();
    return events.length == 0 ? known : AssignmentVariable.decode(events[0].getTaskTrackerHttp());
  }

  /** What the application master answers. */
  public MapTaskCompletionEventsUpdate answer(TaskAttemptID asking, ShuffleAssignment newest)
      throws SluiceException {
    TaskCompletionEvent[] events = {};
    if (newest.generation() > knownGeneration) {
      events =
          new TaskCompletionEvent[] {
            new TaskCompletionEvent(
                0,
                asking,
                asking.getTaskID().getId(),
                true,
                TaskCompletionEvent.Status.OBSOLETE,
                AssignmentVariable.encode(newest))
          };
    }
    return new MapTaskCompletionEventsUpdate(events, false);
  }
}
