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
import io.sluice.mr.TaskReports;
import io.sluice.proto.TaskReport;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.util.Time;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Thread that reads map output from servers, besides Hadoop's fetchers, which read from node
 * managers. Both use the same scheduler and merge.
 */
final class ServerFetcher<K, V> implements ServerReader.Receiver<K, V>, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ServerFetcher.class);
  private static final MapHost SERVERS = new MapHost("servers", "servers");
  private static final long CLOSE_TIMEOUT_MS = 10_000;

  private final KnownOutputs outputs;
  private final SluiceShuffleScheduler<K, V> scheduler;
  private final ExceptionReporter exceptions;
  private final Reporter reporter;
  private final Counters.Counter failedShuffles;
  private final SluiceClient client;
  private final ServerReader<K, V> reader;
  private final Thread thread;
  private volatile boolean closing;

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
    JobCredentials.passToClient(client, job.getCredentials());
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
   * The application master's newest assignment. Blocks the reading thread, like other requests of
   * Hadoop's tasks to their master.
   */
  private static ShuffleAssignment ask(
      CompletionEventsRequest.Master master,
      TaskAttemptID reduce,
      NewestAssignment assignment,
      ShuffleAssignment known) {
    try {
      assignment.update(
          CompletionEventsRequest.ask(
              master,
              org.apache.hadoop.mapred.TaskAttemptID.downgrade(reduce),
              known,
              CompletionEventsRequest.NONE));
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "request to the application master for the newest assignment failed attempt={}"
              + " reason=\"{}\"",
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
      while (!closing) {
        reader.read(outputs.take());
      }
    } catch (Throwable e) {
      if (!closing) {
        exceptions.reportException(e);
      }
    }
  }

  @Override
  public boolean isNeeded(TaskAttemptID attempt) {
    return outputs.isNeeded(attempt);
  }

  @Override
  public void complete(AttemptOutput<K, V> output) throws IOException {
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
    if (!outputs.isNeeded(output.attempt())) {
      return;
    }
    if (output.nodeManager() != null) {
      scheduler.fetchFromNodeManager(output);
      return;
    }
    failedShuffles.increment(1);
    outputs.markLost(output.attempt());
  }

  @Override
  public void notRead(Output output) {
    outputs.add(output);
  }

  /** The report of a reduce attempt; empty if nothing was read. Called after {@link #close}. */
  Optional<TaskReport> report() {
    return thread.isAlive() || reader.counters().requests().opens() == 0
        ? Optional.empty()
        : Optional.of(TaskReports.ofReads(reader.counters(), reader.durationMs()));
  }

  /** Stops the thread within a bounded time. Idempotent. */
  @Override
  public void close() throws InterruptedException {
    closing = true;
    thread.interrupt();
    try {
      thread.join(CLOSE_TIMEOUT_MS);
    } finally {
      client.close();
    }
  }
}
