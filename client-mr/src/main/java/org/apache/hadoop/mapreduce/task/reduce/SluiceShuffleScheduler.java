package org.apache.hadoop.mapreduce.task.reduce;

import io.sluice.mr.OutputPlace;
import io.sluice.mr.read.KnownOutputs;
import io.sluice.mr.read.KnownOutputs.Output;
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
  private final TaskAttemptID reduce;
  private final KnownOutputs atServers;

  SluiceShuffleScheduler(
      JobConf job,
      TaskStatus status,
      TaskAttemptID reduce,
      ExceptionReporter exceptions,
      Progress progress,
      Counters.Counter shuffledMaps,
      Counters.Counter reduceShuffleBytes,
      Counters.Counter failedShuffles,
      KnownOutputs atServers) {
    super(
        job,
        status,
        reduce,
        exceptions,
        progress,
        shuffledMaps,
        reduceShuffleBytes,
        failedShuffles);
    this.reduce = reduce;
    this.atServers = atServers;
  }

  @Override
  public void resolve(TaskCompletionEvent event) {
    String address = event.getTaskTrackerHttp();
    OutputPlace place = address == null ? OutputPlace.NODE_MANAGER : OutputPlace.in(address);
    if (event.getTaskStatus() == TaskCompletionEvent.Status.SUCCEEDED && place.atServers()) {
      atServers.add(
          new Output(
              event.getTaskAttemptId(),
              place.atNodeManager() ? OutputPlace.unmarked(address) : null));
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
  public void obsoleteMapOutput(TaskAttemptID attempt) {
    atServers.forget(attempt);
    super.obsoleteMapOutput(attempt);
  }

  @Override
  public void tipFailed(TaskID map) {
    atServers.finish(map);
    super.tipFailed(map);
  }

  @Override
  public void copySucceeded(
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
