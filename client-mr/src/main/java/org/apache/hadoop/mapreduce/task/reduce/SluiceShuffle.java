package org.apache.hadoop.mapreduce.task.reduce;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.mr.KnownOutputs;
import io.sluice.mr.NewestAssignment;
import io.sluice.mr.TaskReports;
import io.sluice.proto.TaskReport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shuffle of one reduce task. Hadoop's event fetcher requests completed maps, Hadoop's fetchers
 * read outputs at node managers, and {@link ServerFetcher} reads outputs on servers. Hadoop's merge
 * receives all of them.
 */
final class SluiceShuffle<K, V> implements ShuffleConsumerPlugin<K, V>, ExceptionReporter {
  private static final Logger LOG = LoggerFactory.getLogger(SluiceShuffle.class);

  private static final int POLL_INTERVAL_MS = 1_000;
  private static final long REPORT_INTERVAL_MS = 5_000;

  /** About five minutes of reports; an application master needs only one. */
  private static final int MAX_REPORTS = 60;

  // As in Hadoop's shuffle: limits the events that all reduce tasks request at a time.
  private static final int MAX_EVENTS = 10_000;
  private static final int MIN_EVENTS = 100;
  private static final int MAX_EVENTS_ALL_REDUCERS = 3_000_000;

  private final NewestAssignment assignment;
  private Context<K, V> context;
  private MergeManagerImpl<K, V> merger;
  private KnownOutputs outputs;
  private SluiceShuffleScheduler<K, V> scheduler;
  private ShuffleClientMetrics metrics;

  // Guarded by this.
  private Throwable failure;
  private String failedThread;

  SluiceShuffle(ShuffleAssignment assignment) {
    this.assignment = new NewestAssignment(assignment);
  }

  @Override
  public void init(Context<K, V> context) {
    this.context = context;
    JobConf job = context.getJobConf();
    metrics = ShuffleClientMetrics.create(context.getReduceId(), job);
    outputs = new KnownOutputs(job.getNumMapTasks(), System::nanoTime);
    scheduler =
        new SluiceShuffleScheduler<>(
            job,
            context.getStatus(),
            context.getReduceId(),
            this,
            context.getCopyPhase(),
            context.getShuffledMapsCounter(),
            context.getReduceShuffleBytes(),
            context.getFailedShuffleCounter(),
            outputs,
            assignment);
    merger =
        new MergeManagerImpl<>(
            context.getReduceId(),
            job,
            context.getLocalFS(),
            context.getLocalDirAllocator(),
            context.getReporter(),
            context.getCodec(),
            context.getCombinerClass(),
            context.getCombineCollector(),
            context.getSpilledRecordsCounter(),
            context.getReduceCombineInputCounter(),
            context.getMergedMapOutputsCounter(),
            this,
            context.getMergePhase(),
            context.getMapOutputFile());
  }

  @Override
  public RawKeyValueIterator run() throws IOException, InterruptedException {
    JobConf job = context.getJobConf();
    EventFetcher<K, V> events =
        new EventFetcher<>(
            context.getReduceId(),
            context.getUmbilical(),
            scheduler,
            this,
            Math.min(
                MAX_EVENTS,
                Math.max(
                    MIN_EVENTS, MAX_EVENTS_ALL_REDUCERS / Math.max(1, job.getNumReduceTasks()))));
    List<Fetcher<K, V>> fetchers = new ArrayList<>();
    ServerFetcher<K, V> servers = serverFetcher(job);
    try (servers) {
      events.start();
      servers.start();
      while (!scheduler.waitUntilDone(POLL_INTERVAL_MS)) {
        if (fetchers.isEmpty() && scheduler.hasOutputAtNodeManagers()) {
          startFetchers(job, fetchers);
        }
        context.getReporter().progress();
        throwFailure();
        reportLosses();
      }
    } finally {
      events.shutDown();
      for (Fetcher<K, V> fetcher : fetchers) {
        fetcher.shutDown();
      }
      scheduler.close();
    }
    servers.report().ifPresent(this::send);
    return merged();
  }

  private void send(TaskReport report) {
    TaskReports.send(
        context.getUmbilical()::reportDiagnosticInfo,
        org.apache.hadoop.mapred.TaskAttemptID.downgrade(context.getReduceId()),
        report);
  }

  private void startFetchers(JobConf job, List<Fetcher<K, V>> fetchers) {
    for (int i = 0; i < job.getInt(MRJobConfig.SHUFFLE_PARALLEL_COPIES, 5); i++) {
      Fetcher<K, V> fetcher =
          new Fetcher<>(
              job,
              context.getReduceId(),
              scheduler,
              merger,
              context.getReporter(),
              metrics,
              this,
              context.getReduceTask().getShuffleSecret());
      fetchers.add(fetcher);
      fetcher.start();
    }
  }

  private ServerFetcher<K, V> serverFetcher(JobConf job) throws IOException {
    return new ServerFetcher<>(
        job,
        assignment,
        context.getReduceId(),
        outputs,
        scheduler,
        new MergeMemory<>(merger, job, context.getMapOutputFile()),
        metrics,
        this,
        context.getReporter(),
        context.getFailedShuffleCounter(),
        context.getUmbilical()::getMapCompletionEvents);
  }

  private RawKeyValueIterator merged() throws IOException {
    context.getCopyPhase().complete();
    context.getStatus().setPhase(TaskStatus.Phase.SORT);
    context.getReduceTask().statusUpdate(context.getUmbilical());
    RawKeyValueIterator records;
    try {
      records = merger.close();
    } catch (Throwable e) {
      throw new IOException("Error while doing final merge ", e);
    }
    throwFailure();
    return records;
  }

  private void reportLosses() throws IOException {
    for (TaskAttemptID attempt : outputs.lossesToReport(REPORT_INTERVAL_MS)) {
      LOG.info("reporting lost map output to the application master attempt={}", attempt);
      scheduler.reportLost(attempt);
    }
    if (outputs.maxReports() > MAX_REPORTS) {
      throw new IOException(
          "map outputs are lost, and the application master has not run the maps again after "
              + MAX_REPORTS
              + " reports");
    }
  }

  @Override
  public void reportException(Throwable problem) {
    synchronized (this) {
      if (failure != null) {
        return;
      }
      failure = problem;
      failedThread = Thread.currentThread().getName();
    }
    // Outside of the lock above, because the scheduler calls this method with its own lock.
    scheduler.wake();
  }

  private synchronized void throwFailure() throws IOException {
    if (failure != null) {
      throw new IOException("error in shuffle in " + failedThread, failure);
    }
  }

  @Override
  public void close() {}
}
