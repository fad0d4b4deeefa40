package io.sluice.mr.am;

import io.sluice.common.error.SluiceException;
import io.sluice.mr.FailedServers;
import io.sluice.mr.OutputAddress;
import io.sluice.mr.OutputLocation;
import io.sluice.mr.SluiceCounter;
import java.util.function.Function;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptCompletionEvent;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptCompletionEventStatus;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptState;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.job.TaskAttempt;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobTaskAttemptCompletedEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobTaskAttemptFetchFailureEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptEventType;
import org.apache.hadoop.mapreduce.v2.app.job.event.TaskAttemptKillEvent;
import org.apache.hadoop.yarn.event.AsyncDispatcher;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.event.EventHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The application master's event loop. It adds the output location to the completion event of every
 * map attempt before the job stores the event for its reducers. It derives the location from the
 * attempt's counters, which also exist for attempts recovered from the job's history.
 *
 * <p>If a node is lost, maps whose output is on servers are not run again. Receipts are added to
 * those of the job.
 */
public final class MarkingDispatcher extends AsyncDispatcher {
  private static final Logger LOG = LoggerFactory.getLogger(MarkingDispatcher.class);

  private final Function<TaskAttemptId, TaskAttempt> attempts;
  private final JobAssignment shuffle;

  /**
   * @param attempts looks up attempts of the job by id; null for an unknown id
   */
  MarkingDispatcher(Function<TaskAttemptId, TaskAttempt> attempts, JobAssignment shuffle) {
    this.attempts = attempts;
    this.shuffle = shuffle;
  }

  /**
   * @param attempts looks up attempts of the job by id; null for an unknown id
   */
  public static MarkingDispatcher of(
      Function<TaskAttemptId, TaskAttempt> attempts, JobShuffle shuffle) {
    return new MarkingDispatcher(attempts, shuffle);
  }

  @Override
  @SuppressWarnings("rawtypes") // As in Hadoop.
  public EventHandler<Event> getEventHandler() {
    EventHandler<Event> all = super.getEventHandler();
    return event -> {
      Event<?> toHandle = shuffle.assignment().isEmpty() ? event : process(event);
      if (toHandle != null) {
        all.handle(toHandle);
      }
    };
  }

  /** Processes an event; returns the event that Hadoop must handle, or null for none. */
  private Event<?> process(Event<?> event) {
    if (event instanceof JobTaskAttemptCompletedEvent completed) {
      mark(completed.getCompletionEvent());
    } else if (event instanceof JobTaskAttemptFetchFailureEvent failure) {
      Counters counted = counters(failure.getReduce());
      requestReplacements(counted);
      addReceipts(failure.getReduce(), counted);
    } else if (event instanceof TaskAttemptKillEvent kill) {
      return isRerunNeedless(kill) ? null : event;
    } else if (event instanceof TaskAttemptEvent attempt
        && attempt.getType() == TaskAttemptEventType.TA_KILL) {
      return isRerunNeedless(attempt)
          ? new TaskAttemptEvent(
              attempt.getTaskAttemptID(), TaskAttemptEventType.TA_CONTAINER_COMPLETED)
          : event;
    }
    return event;
  }

  private Counters counters(TaskAttemptId id) {
    TaskAttempt attempt = attempts.apply(id);
    return attempt == null ? null : attempt.getCounters();
  }

  /** Whether a successful attempt is only killed because its node is no longer usable. */
  private boolean isRerunNeedless(TaskAttemptKillEvent kill) {
    TaskAttemptId id = kill.getTaskAttemptID();
    TaskAttempt attempt = attempts.apply(id);
    boolean needless = kill.getRescheduleAttempt() && isAtServers(id, attempt);
    if (needless) {
      LOG.info(
          "map is not run again: its output is on servers attempt={} killReason=\"{}\"",
          id,
          kill.getMessage());
    }
    return needless;
  }

  /**
   * Whether an attempt has reported success, but YARN reports that its container was killed before
   * the job has recorded the success. YARN sends the same event for containers of a lost node and
   * for attempts killed by a user; a user's kill has no effect in this state.
   */
  private boolean isRerunNeedless(TaskAttemptEvent kill) {
    TaskAttemptId id = kill.getTaskAttemptID();
    TaskAttempt attempt = attempts.apply(id);
    boolean needless = isAtServers(id, attempt) && !attempt.isFinished();
    if (needless) {
      LOG.info(
          "map is not run again: its output is on servers attempt={}"
              + " killReason=\"container killed\"",
          id);
    }
    return needless;
  }

  private static boolean isAtServers(TaskAttemptId id, TaskAttempt attempt) {
    if (id.getTaskId().getTaskType() != TaskType.MAP
        || attempt == null
        || attempt.getState() != TaskAttemptState.SUCCEEDED) {
      return false;
    }
    Counters counted = attempt.getCounters();
    return counted != null && locationOf(counted).atServers();
  }

  private static OutputLocation locationOf(Counters counted) {
    return OutputLocation.of(
        SluiceCounter.PUSHED_SEGMENTS.in(counted) > 0, SluiceCounter.LOCAL_OUTPUTS.in(counted) > 0);
  }

  private void mark(TaskAttemptCompletionEvent event) {
    TaskAttemptId attempt = event.getAttemptId();
    Counters counted = counters(attempt);
    requestReplacements(counted);
    addReceipts(attempt, counted);
    if (counted == null
        || event.getStatus() != TaskAttemptCompletionEventStatus.SUCCEEDED
        || attempt.getTaskId().getTaskType() != TaskType.MAP) {
      return;
    }
    OutputLocation location = locationOf(counted);
    if (location.atServers()) {
      shuffle.receipts().addMap(counted);
      try {
        event.setMapOutputServerAddress(
            new OutputAddress(
                    event.getMapOutputServerAddress(), location, shuffle.unreportedAssignment())
                .text());
      } catch (SluiceException e) {
        throw new IllegalStateException(
            "internal error: assignment too long attempt=" + attempt, e);
      }
    }
  }

  /** Reports receipts that reducers found wrong, also those of attempts that failed. */
  private void addReceipts(TaskAttemptId attempt, Counters counted) {
    if (counted == null) {
      return;
    }
    if (attempt.getTaskId().getTaskType() == TaskType.REDUCE) {
      int wrong = shuffle.receipts().addReduce(attempt, counted);
      if (wrong > 0) {
        shuffle.reportWrongReceipts(wrong);
      }
    }
  }

  private void requestReplacements(Counters counted) {
    if (counted != null) {
      FailedServers.in(counted).forEach(shuffle::replace);
    }
  }
}
