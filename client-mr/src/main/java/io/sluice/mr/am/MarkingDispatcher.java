package io.sluice.mr.am;

import io.sluice.mr.OutputPlace;
import io.sluice.mr.SluiceCounter;
import java.util.function.Function;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptCompletionEvent;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptCompletionEventStatus;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.api.records.TaskType;
import org.apache.hadoop.mapreduce.v2.app.job.event.JobTaskAttemptCompletedEvent;
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

  /**
   * @param counters of an attempt that has ended; null if there are none
   */
  public MarkingDispatcher(Function<TaskAttemptId, Counters> counters) {
    this.counters = counters;
  }

  @Override
  @SuppressWarnings("rawtypes") // As in Hadoop.
  public EventHandler<Event> getEventHandler() {
    EventHandler<Event> all = super.getEventHandler();
    return event -> {
      if (event instanceof JobTaskAttemptCompletedEvent completed) {
        mark(completed.getCompletionEvent());
      }
      all.handle(event);
    };
  }

  private void mark(TaskAttemptCompletionEvent event) {
    TaskAttemptId attempt = event.getAttemptId();
    if (event.getStatus() != TaskAttemptCompletionEventStatus.SUCCEEDED
        || attempt.getTaskId().getTaskType() != TaskType.MAP) {
      return;
    }
    Counters counted = counters.apply(attempt);
    if (counted != null) {
      OutputPlace place =
          OutputPlace.of(
              counted.findCounter(SluiceCounter.PUSHED_SEGMENTS).getValue() > 0,
              counted.findCounter(SluiceCounter.LOCAL_OUTPUTS).getValue() > 0);
      event.setMapOutputServerAddress(place.mark(event.getMapOutputServerAddress()));
    }
  }
}
