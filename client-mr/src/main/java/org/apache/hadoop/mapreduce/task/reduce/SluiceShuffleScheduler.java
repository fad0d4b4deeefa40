package org.apache.hadoop.mapreduce.task.reduce;

import io.sluice.common.error.SluiceException;
import io.sluice.mr.KnownOutputs;
import io.sluice.mr.KnownOutputs.Output;
import io.sluice.mr.NewestAssignment;
import io.sluice.mr.OutputAddress;
import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.TaskCompletionEvent;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.util.Progress;

/**
 * Hadoop's scheduler of fetches, without the outputs on servers, because Hadoop's fetchers read
 * only from node managers. Thread-safe.
 */
final class SluiceShuffleScheduler<K, V> extends ShuffleSchedulerImpl<K, V> {
  private final TaskStatus status;
  private final TaskAttemptID reduce;
  private final KnownOutputs atServers;
  private final NewestAssignment assignment;
  private final ExceptionReporter exceptions;
  // Guarded by this.
  private boolean outputAtNodeManagers;

  SluiceShuffleScheduler(
      JobConf job,
      TaskStatus status,
      TaskAttemptID reduce,
      ExceptionReporter exceptions,
      Progress progress,
      Counters.Counter shuffledMaps,
      Counters.Counter reduceShuffleBytes,
      Counters.Counter failedShuffles,
      KnownOutputs atServers,
      NewestAssignment assignment) {
    super(
        job,
        status,
        reduce,
        exceptions,
        progress,
        shuffledMaps,
        reduceShuffleBytes,
        failedShuffles);
    this.status = status;
    this.reduce = reduce;
    this.atServers = atServers;
    this.assignment = assignment;
    this.exceptions = exceptions;
  }

  @Override
  public void resolve(TaskCompletionEvent event) {
    OutputAddress address;
    try {
      // A failed task has no address.
      String text = event.getTaskTrackerHttp();
      address = OutputAddress.parse(text == null ? "" : text);
    } catch (SluiceException e) {
      exceptions.reportException(e);
      return;
    }
    // Also for attempts that failed or became obsolete.
    address.assignment().ifPresent(assignment::update);
    if (event.getTaskStatus() == TaskCompletionEvent.Status.SUCCEEDED
        && address.location().atServers()) {
      atServers.add(
          new Output(
              event.getTaskAttemptId(),
              address.location().atNodeManager() ? address.nodeManager() : null));
      return;
    }
    super.resolve(event);
  }

  /** Passes an output that servers do not have to Hadoop's fetchers. */
  void fetchFromNodeManager(Output output) {
    URI address = getBaseURI(reduce, output.nodeManager());
    addKnownMapOutput(
        address.getHost() + ":" + address.getPort(), address.toString(), output.attempt());
  }

  @Override
  public synchronized void addKnownMapOutput(String hostName, String hostUrl, TaskAttemptID mapId) {
    super.addKnownMapOutput(hostName, hostUrl, mapId);
    if (!outputAtNodeManagers) {
      outputAtNodeManagers = true;
      notifyAll();
    }
  }

  /** Whether any output was ever available at node managers. */
  synchronized boolean hasOutputAtNodeManagers() {
    return outputAtNodeManagers;
  }

  /** Reports a lost output to the application master. */
  synchronized void reportLost(TaskAttemptID attempt) {
    status.addFetchFailedMap(org.apache.hadoop.mapred.TaskAttemptID.downgrade(attempt));
  }

  /** Wakes the thread that waits for the end of the shuffle, so that it checks for failures. */
  synchronized void wake() {
    notifyAll();
  }

  @Override
  public synchronized void obsoleteMapOutput(TaskAttemptID attempt) {
    atServers.forget(attempt);
    super.obsoleteMapOutput(attempt);
  }

  @Override
  public synchronized void tipFailed(TaskID map) {
    atServers.finish(map);
    super.tipFailed(map);
  }

  @Override
  public synchronized void copySucceeded(
      TaskAttemptID attempt,
      MapHost host,
      long bytes,
      long startMillis,
      long endMillis,
      MapOutput<K, V> output)
      throws IOException {
    super.copySucceeded(attempt, host, bytes, startMillis, endMillis, output);
    atServers.finish(attempt.getTaskID());
  }
}
