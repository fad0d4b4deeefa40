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
 * The application master's event loop, which writes into every map attempt's completion event where
 * its output is, before the job keeps it for its reducers. What it goes by are the attempt's
 * counters, so that it holds for attempts that were recovered from the job's history as well.
 *
 * <p>A map whose output is at servers is not run again because its node is lost.
 */
public final class MarkingDispatcher extends AsyncDispatcher {
  private static final Logger LOG = LoggerFactory.getLogger(MarkingDispatcher.class);

  private final Function<TaskAttemptId, TaskAttempt> attempts;
  private final ShuffleOfJob shuffle;

  /**
   * @param attempts of the job, by id; null for one that it does not know
   */
  MarkingDispatcher(Function<TaskAttemptId, TaskAttempt> attempts, ShuffleOfJob shuffle) {
    this.attempts = attempts;
    this.shuffle = shuffle;
  }

  /**
   * @param attempts of the job, by id; null for one that it does not know
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
      Event<?> toHandle = shuffle.assignment().isEmpty() ? event : seen(event);
      if (toHandle != null) {
        all.handle(toHandle);
      }
    };
  }

  /** Does what is to be done; what is left to handle, or null. */
  private Event<?> seen(Event<?> event) {
    if (event instanceof JobTaskAttemptCompletedEvent completed) {
      mark(completed.getCompletionEvent());
    } else if (event instanceof JobTaskAttemptFetchFailureEvent failure) {
      heed(counters(failure.getReduce()));
    } else if (event instanceof TaskAttemptKillEvent kill) {
      return isNeedless(kill) ? null : event;
    } else if (event instanceof TaskAttemptEvent attempt
        && attempt.getType() == TaskAttemptEventType.TA_KILL) {
      return isNeedless(attempt)
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

  /** Whether all that speaks against a finished attempt is that its node is not usable any more. */
  private boolean isNeedless(TaskAttemptKillEvent kill) {
    TaskAttemptId id = kill.getTaskAttemptID();
    TaskAttempt attempt = attempts.apply(id);
    boolean needless = kill.getRescheduleAttempt() && isAtServers(id, attempt);
    if (needless) {
      LOG.info(
          "map not run again, its output is at servers attempt={} but={}", id, kill.getMessage());
    }
    return needless;
  }

  /**
   * Whether an attempt has said its last word, and its container is said to have ended otherwise
   * than by itself before that was known: so YARN says of containers of a node that is lost. It
   * says no more than when a user kills an attempt, which has no effect in this moment.
   */
  private boolean isNeedless(TaskAttemptEvent kill) {
    TaskAttemptId id = kill.getTaskAttemptID();
    TaskAttempt attempt = attempts.apply(id);
    boolean needless = isAtServers(id, attempt) && !attempt.isFinished();
    if (needless) {
      LOG.info("map not run again, its output is at servers attempt={} but=container has gone", id);
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
    return counted != null && place(counted).atServers();
  }

  private static OutputLocation place(Counters counted) {
    return OutputLocation.of(
        SluiceCounter.PUSHED_SEGMENTS.in(counted) > 0, SluiceCounter.LOCAL_OUTPUTS.in(counted) > 0);
  }

  private void mark(TaskAttemptCompletionEvent event) {
    TaskAttemptId attempt = event.getAttemptId();
    Counters counted = counters(attempt);
    heed(counted);
    if (counted == null
        || event.getStatus() != TaskAttemptCompletionEventStatus.SUCCEEDED
        || attempt.getTaskId().getTaskType() != TaskType.MAP) {
      return;
    }
    OutputLocation place = place(counted);
    if (place.atServers()) {
      try {
        event.setMapOutputServerAddress(
            new OutputAddress(event.getMapOutputServerAddress(), place, shuffle.newsForReducers())
                .text());
      } catch (SluiceException e) {
        throw new IllegalStateException("an assignment that was checked", e);
      }
    }
  }

  private void heed(Counters counted) {
    if (counted != null) {
      FailedServers.in(counted).forEach(shuffle::replace);
    }
  }
}
