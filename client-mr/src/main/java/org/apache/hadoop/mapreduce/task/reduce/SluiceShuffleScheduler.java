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
 * Hadoop's scheduler of fetches, which keeps what is at servers out of the hands of its fetchers:
 * those ask node managers. Thread-safe.
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
      // A task that failed for good has none.
      String text = event.getTaskTrackerHttp();
      address = OutputAddress.parse(text == null ? "" : text);
    } catch (SluiceException e) {
      exceptions.reportException(e);
      return;
    }
    // Whatever has become of the attempt since.
    address.assignment().ifPresent(assignment::learn);
    if (event.getTaskStatus() == TaskCompletionEvent.Status.SUCCEEDED
        && address.place().atServers()) {
      atServers.add(
          new Output(
              event.getTaskAttemptId(),
              address.place().atNodeManager() ? address.nodeManager() : null));
      return;
    }
    super.resolve(event);
  }

  /** Lets Hadoop's fetchers fetch an output after all. */
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

  /** Whether any output has ever been there to fetch. */
  synchronized boolean hasOutputAtNodeManagers() {
    return outputAtNodeManagers;
  }

  /** Tells the application master that nobody has an output any more. */
  synchronized void reportLost(TaskAttemptID attempt) {
    status.addFetchFailedMap(org.apache.hadoop.mapred.TaskAttemptID.downgrade(attempt));
  }

  /** Lets whoever waits for the end look what is the matter. */
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
