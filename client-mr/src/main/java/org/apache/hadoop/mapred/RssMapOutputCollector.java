package org.apache.hadoop.mapred;

import io.sluice.client.SluiceClient;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.BlockSizes;
import io.sluice.client.push.PushOptions;
import io.sluice.client.push.PushSession;
import io.sluice.client.push.RowBlocks;
import io.sluice.mr.AssignmentVariable;
import io.sluice.mr.JobCredentials;
import io.sluice.mr.JobSettings;
import io.sluice.mr.MapAttempts;
import io.sluice.mr.Segment;
import io.sluice.mr.TaskKeepAlive;
import io.sluice.mr.TaskReports;
import java.io.IOException;
import java.util.Optional;

/**
 * The map side of the plugin: {@code mapreduce.job.map.output.collector.class}. Without an
 * assignment from the application master it delegates to Hadoop's built-in collector.
 */
public final class RssMapOutputCollector<K, V> implements MapOutputCollector<K, V> {
  /** Smaller segments cost the merge of a reducer more than their encoding gains. */
  private static final int MIN_SEGMENT_BYTES = 512 << 10;

  /** Share of a frame that a segment leaves free for its last record and headers. */
  private static final int FREE_SHARE = 16;

  private MapOutputCollector<K, V> collector;

  /** Called by Hadoop. */
  public RssMapOutputCollector() {}

  @Override
  public void init(Context context) throws IOException, ClassNotFoundException {
    Optional<ShuffleAssignment> assignment = AssignmentVariable.from(System.getenv());
    if (assignment.isPresent()) {
      JobSettings settings = JobSettings.ofTask(context.getJobConf(), System.getenv());
      // A compressed segment has no records that can be encoded.
      RowBlocks records =
          settings.recordPlanes() && !context.getJobConf().getCompressMapOutput()
              ? RowBlocks.ofRecords(Segment.HEADER_BYTES)
              : null;
      collector =
          new SluiceMapOutput<>(
              action -> push(context, assignment.get(), settings, records, action),
              settings.localOutput(),
              records == null
                  ? SluiceMapOutput.SEGMENT_BYTES
                  : encodedSegmentBytes(settings.client().push().frameBytes()),
              report ->
                  TaskReports.send(
                      context.getMapTask().umbilical::reportDiagnosticInfo,
                      context.getMapTask().getTaskID(),
                      report));
    } else {
      collector = new MapTask.MapOutputBuffer<>();
    }
    collector.init(context);
  }

  /** A block is encoded if its whole segment fits into a frame. */
  private static int encodedSegmentBytes(int frameBytes) {
    return Math.max(MIN_SEGMENT_BYTES, frameBytes - frameBytes / FREE_SHARE);
  }

  private static void push(
      Context context,
      ShuffleAssignment assignment,
      JobSettings settings,
      RowBlocks records,
      PushSessions.Action action)
      throws IOException, InterruptedException, ClassNotFoundException {
    TaskAttemptID attempt = context.getMapTask().getTaskID();
    try (TaskKeepAlive alive = TaskKeepAlive.start(context.getReporter());
        MasterAssignments master =
            new MasterAssignments(context.getMapTask().umbilical::getMapCompletionEvents, attempt);
        SluiceClient client =
            SluiceClient.startForOneTask(
                settings.client(), assignment.shuffle().getApplication(), attempt.toString())) {
      JobCredentials.passToClient(client, context.getJobConf().getCredentials());
      try (PushSession session =
          client.pushSession(
              // The container's assignment may be outdated.
              master.newest(assignment),
              MapAttempts.of(attempt),
              new PushOptions(null, master, null, BlockSizes.PAYLOADS, records))) {
        action.with(session);
      }
    }
  }

  @Override
  public void collect(K key, V value, int partition) throws IOException, InterruptedException {
    collector.collect(key, value, partition);
  }

  @Override
  public void flush() throws IOException, InterruptedException, ClassNotFoundException {
    collector.flush();
  }

  @Override
  public void close() throws IOException, InterruptedException {
    collector.close();
  }
}
