package org.apache.hadoop.mapreduce.task.reduce;

import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.mr.AttemptOutput;
import io.sluice.mr.CompletionEventsRequest;
import io.sluice.mr.JobCredentials;
import io.sluice.mr.JobSettings;
import io.sluice.mr.KnownOutputs;
import io.sluice.mr.KnownOutputs.Output;
import io.sluice.mr.NewestAssignment;
import io.sluice.mr.SegmentMemory;
import io.sluice.mr.ServerReader;
import io.sluice.mr.SluiceCounter;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.util.Time;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread that reads what is at servers, beside Hadoop's fetchers, which read what is at node
 * managers. Both give what they have to the same scheduler and merge.
 */
final class ServerFetcher<K, V> implements ServerReader.Receiver<K, V>, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServerFetcher.class);
  private static final MapHost SERVERS = new MapHost("servers", "servers");
  private static final long END_MS = 10_000;

  private final KnownOutputs outputs;
  private final SluiceShuffleScheduler<K, V> scheduler;
  private final ExceptionReporter exceptions;
  private final Reporter reporter;
  private final Counters.Counter failedShuffles;
  private final SluiceClient client;
  private final ServerReader<K, V> reader;
  private final Thread thread;
  private volatile boolean ending;

  ServerFetcher(
      JobConf job,
      NewestAssignment assignment,
      TaskAttemptID reduce,
      KnownOutputs outputs,
      SluiceShuffleScheduler<K, V> scheduler,
      SegmentMemory<K, V> memory,
      ShuffleClientMetrics metrics,
      ExceptionReporter exceptions,
      Reporter reporter,
      Counters.Counter failedShuffles,
      CompletionEventsRequest.Master master)
      throws IOException {
    this.outputs = outputs;
    this.scheduler = scheduler;
    this.exceptions = exceptions;
    this.reporter = reporter;
    this.failedShuffles = failedShuffles;
    this.client =
        SluiceClient.startForOneTask(
            JobSettings.ofTask(job, System.getenv()).client(),
            assignment.get().shuffle().getApplication(),
            reduce.toString());
    JobCredentials.learn(client, job.getCredentials());
    this.reader =
        new ServerReader<>(
            client,
            assignment,
            reduce,
            job.getNumMapTasks(),
            memory,
            metrics,
            reporter,
            this,
            Time::monotonicNow,
            known -> CompletableFuture.completedFuture(ask(master, reduce, assignment, known)));
    this.thread = new Thread(this::run, "sluice-reader");
    thread.setDaemon(true);
  }

  /**
   * The newest assignment as the application master knows it. Asked on the reading thread, as tasks
   * of Hadoop ask their master.
   */
  private static ShuffleAssignment ask(
      CompletionEventsRequest.Master master,
      TaskAttemptID reduce,
      NewestAssignment assignment,
      ShuffleAssignment known) {
    try {
      assignment.learn(
          CompletionEventsRequest.ask(
              master,
              org.apache.hadoop.mapred.TaskAttemptID.downgrade(reduce),
              known,
              CompletionEventsRequest.NONE));
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "the application master did not say where map outputs are reduce={} reason={}",
          reduce,
          e.toString());
    }
    return assignment.get();
  }

  void start() {
    thread.start();
  }

  private void run() {
    try {
      while (!ending) {
        reader.read(outputs.take());
      }
    } catch (Throwable e) {
      if (!ending) {
        exceptions.reportException(e);
      }
    }
  }

  @Override
  public boolean isWanted(TaskAttemptID attempt) {
    return outputs.isWanted(attempt);
  }

  @Override
  public void whole(AttemptOutput<K, V> output) throws IOException {
    reporter.incrCounter(SluiceCounter.SERVER_SEGMENTS, output.segments());
    reporter.incrCounter(SluiceCounter.SERVER_BYTES, output.bytes());
    scheduler.copySucceeded(
        output.getMapId(),
        SERVERS,
        output.bytes(),
        output.startedMs(),
        Time.monotonicNow(),
        output);
  }

  @Override
  public void missing(Output output) {
    if (!outputs.isWanted(output.attempt())) {
      return;
    }
    if (output.nodeManager() != null) {
      scheduler.fetchFromNodeManager(output);
      return;
    }
    failedShuffles.increment(1);
    outputs.lose(output.attempt());
  }

  @Override
  public void notRead(Output output) {
    outputs.add(output);
  }

  /** Ends the thread, within a bounded time. Idempotent. */
  @Override
  public void close() throws InterruptedException {
    ending = true;
    thread.interrupt();
    try {
      thread.join(END_MS);
    } finally {
      client.close();
    }
  }
}
