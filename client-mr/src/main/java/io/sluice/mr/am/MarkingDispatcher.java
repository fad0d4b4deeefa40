package io.sluice.mr.am;

import io.sluice.common.error.SluiceException;
import io.sluice.mr.FailedServers;
import io.sluice.mr.OutputAddress;
import io.sluice.mr.OutputPlace;
import io.sluice.mr.SluiceCounter;
import java.util.function.Function;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptCompletionEvent;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptCompletionEventStatus;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobTaskAttemptCompletedEvent;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobTaskAttemptFetchFailureEvent;
import org.apache.hadoop.yarn.event.AsyncDispatcher;
import org.apache.hadoop.yarn.event.Event;
import org.apache.hadoop.yarn.event.EventHandler;

/**
 * The application master's event loop, which writes into every map attempt's completion event where
 * its output is, before the job keeps it for its reducers. What it goes by are the attempt's
 * counters, so that it holds for attempts that were recovered from the job's history as well.
 */
public final class MarkingDispatcher extends AsyncDispatcher {
  private final Function<TaskAttemptId, Counters> counters;
  private final JobShuffle shuffle;

  /**
   * @param counters of an attempt so far; null if there are none
   */
  public MarkingDispatcher(Function<TaskAttemptId, Counters> counters, JobShuffle shuffle) {
    this.counters = counters;
    this.shuffle = shuffle;
  }

  @Override
  @SuppressWarnings("rawtypes") // As in Hadoop.
  public EventHandler<Event> getEventHandler() {
    EventHandler<Event> all = super.getEventHandler();
    return event -> {
      if (shuffle.assignment().isEmpty()) {
        all.handle(event);
        return;
      }
      if (event instanceof JobTaskAttemptCompletedEvent completed) {
        mark(completed.getCompletionEvent());
      } else if (event instanceof JobTaskAttemptFetchFailureEvent failure) {
        heed(counters.apply(failure.getReduce()));
      }
      all.handle(event);
    };
  }

  private void mark(TaskAttemptCompletionEvent event) {
    TaskAttemptId attempt = event.getAttemptId();
    Counters counted = counters.apply(attempt);
    heed(counted);
    if (counted == null
        || event.getStatus() != TaskAttemptCompletionEventStatus.SUCCEEDED
        || attempt.getTaskId().getTaskType() != TaskType.MAP) {
      return;
    }
    OutputPlace place =
        OutputPlace.of(
            SluiceCounter.PUSHED_SEGMENTS.in(counted) > 0,
            SluiceCounter.LOCAL_OUTPUTS.in(counted) > 0);
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
