package io.sluice.mr.am;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.mr.CompletionEventsRequest;
import io.sluice.mr.TaskReports;
import io.sluice.proto.ServerId;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.MapTaskCompletionEventsUpdate;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskAttemptListenerImpl;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.WrappedJvmID;
import org.apache.hadoop.mapreduce.security.token.JobTokenSecretManager;
import org.apache.hadoop.mapreduce.v2.api.records.TaskAttemptId;
import org.apache.hadoop.mapreduce.v2.app.AppContext;
import org.apache.hadoop.mapreduce.v2.app.rm.RMHeartbeatHandler;
import org.apache.hadoop.mapreduce.v2.app.rm.preemption.AMPreemptionPolicy;

/**
 * The application master's endpoint for requests of tasks, which also answers {@link
 * CompletionEventsRequest} and accepts {@link TaskReports}.
 */
public final class TaskRequests extends TaskAttemptListenerImpl {
  /** Hadoop's spill key for jobs without encrypted intermediate data. */
  private static final byte[] NO_SPILL_KEY = {0};

  private final JobAssignment shuffle;

  TaskRequests(
      AppContext context,
      JobTokenSecretManager tokens,
      RMHeartbeatHandler heartbeats,
      AMPreemptionPolicy preemption,
      JobAssignment shuffle) {
    super(context, tokens, heartbeats, preemption, NO_SPILL_KEY);
    this.shuffle = shuffle;
  }

  /** Creates the endpoint for a job without encrypted intermediate data. */
  public static TaskRequests of(
      AppContext context,
      JobTokenSecretManager tokens,
      RMHeartbeatHandler heartbeats,
      AMPreemptionPolicy preemption,
      JobShuffle shuffle) {
    return new TaskRequests(context, tokens, heartbeats, preemption, shuffle);
  }

  @Override
  public void registerLaunchedTask(TaskAttemptId attempt, WrappedJvmID jvm) {
    super.registerLaunchedTask(attempt, jvm);
    shuffle.tasks().started(attempt);
  }

  @Override
  public void unregister(TaskAttemptId attempt, WrappedJvmID jvm) {
    super.unregister(attempt, jvm);
    shuffle.tasks().ended(attempt);
  }

  @Override
  public void reportDiagnosticInfo(TaskAttemptID attempt, String text) throws IOException {
    if (TaskReports.isReport(text)) {
      shuffle.tasks().add(TaskReports.parse(text));
    } else {
      super.reportDiagnosticInfo(attempt, text);
    }
  }

  @Override
  public MapTaskCompletionEventsUpdate getMapCompletionEvents(
      JobID job, int first, int most, TaskAttemptID asking) throws IOException {
    if (!CompletionEventsRequest.isAssignmentRequest(first)) {
      return super.getMapCompletionEvents(job, first, most, asking);
    }
    CompletionEventsRequest request = CompletionEventsRequest.of(first, most);
    Optional<ShuffleAssignment> newest = newest(request.server());
    return newest.isPresent()
        ? request.answer(asking, newest.get())
        : new MapTaskCompletionEventsUpdate(new TaskCompletionEvent[0], false);
  }

  private Optional<ShuffleAssignment> newest(int failed) {
    Optional<ShuffleAssignment> newest = shuffle.assignment();
    if (newest.isEmpty() || failed == CompletionEventsRequest.NONE) {
      return newest;
    }
    List<ServerId> servers = newest.get().servers();
    return failed >= 0 && failed < servers.size()
        ? shuffle.replaceNow(servers.get(failed).getName())
        : newest;
  }
}
