package io.sluice.mr;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.common.error.SluiceException;
import java.io.IOException;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.MapTaskCompletionEventsUpdate;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskCompletionEvent;

/**
 * A task's request to the application master for the newest assignment. It is encoded as a request
 * for completion events with a negative first event, which Hadoop never sends, and uses Hadoop's
 * connection between task and master. The reply has no event if the task knows the newest
 * assignment; otherwise one event with the assignment in its address field.
 *
 * <pre>
 *  first event     -1 - generation of the task's assignment
 *  maximum events  index of the server to replace, or -1
 * </pre>
 *
 * @param knownGeneration generation of the task's assignment
 * @param server index of the server to replace; {@link #NONE} to request only the newest assignment
 */
public record CompletionEventsRequest(int knownGeneration, int server) {
  public static final int NONE = -1;

  /** Hadoop's call for completion events. */
  public interface Master {
    MapTaskCompletionEventsUpdate completionEvents(
        JobID job, int first, int most, TaskAttemptID asking) throws IOException;
  }

  /** Whether a request for completion events is a request for the assignment. */
  public static boolean isAssignmentRequest(int first) {
    return first < 0;
  }

  /** Decodes a request for the assignment. */
  public static CompletionEventsRequest of(int first, int most) {
    return new CompletionEventsRequest(-1 - first, most);
  }

  /**
   * Sends a request and waits for the reply.
   *
   * @return the newest assignment; {@code known} if it is the newest
   */
  public static ShuffleAssignment ask(
      Master master, TaskAttemptID asking, ShuffleAssignment known, int server) throws IOException {
    TaskCompletionEvent[] events =
        master
            .completionEvents(asking.getJobID(), -1 - known.generation(), server, asking)
            .getMapTaskCompletionEvents();
    return events.length == 0 ? known : AssignmentVariable.decode(events[0].getTaskTrackerHttp());
  }

  /** The application master's reply. */
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
