package io.sluice.spark.write;

import io.sluice.client.LocalOutputMode;
import io.sluice.client.SluiceClient;
import io.sluice.client.compress.PayloadTransform;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.BlockSizes;
import io.sluice.client.push.MapAttempt;
import io.sluice.client.push.PushOptions;
import io.sluice.client.push.ReplacementServers;
import io.sluice.spark.local.BackgroundPush;
import io.sluice.spark.local.LocalMapFiles;
import io.sluice.spark.local.LocalMapOutput;
import io.sluice.spark.stats.ShuffleStatistics;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.ShuffleWriteMetricsReporter;

/**
 * Opens the output of map attempts: servers, local output, or both, by {@code
 * spark.rss.local.output}. One per process. Thread-safe.
 */
public final class MapOutputs {
  private final String executor;
  private final LocalOutputMode mode;
  private final SluiceClient client;
  private final PayloadTransform transform;
  private final ReplacementServers replacementServers;
  private final LocalMapFiles files;
  private final BackgroundPush backgroundPush;
  private final BlockSizes sizes;

  /**
   * @param executor the executor of this process
   * @param client borrows
   * @param transform applied to every payload; null for none
   * @param replacementServers asked for another server when one fails or is full; null for none
   * @param backgroundPush queues committed local output for the background push
   * @param sizes computes the partition sizes that map tasks report
   */
  public MapOutputs(
      String executor,
      LocalOutputMode mode,
      SluiceClient client,
      PayloadTransform transform,
      ReplacementServers replacementServers,
      LocalMapFiles files,
      BackgroundPush backgroundPush,
      BlockSizes sizes) {
    this.executor = executor;
    this.mode = mode;
    this.client = client;
    this.transform = transform;
    this.replacementServers = replacementServers;
    this.files = files;
    this.backgroundPush = backgroundPush;
    this.sizes = sizes;
  }

  /**
   * Opens the output of an attempt; owned by the caller.
   *
   * @param kind what the attempt writes
   * @param statistics notified of the result when the output is closed
   */
  public MapOutput open(
      ShuffleAssignment assignment,
      MapAttempt attempt,
      OutputKind kind,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics,
      ShuffleStatistics statistics) {
    return switch (mode) {
      case FALLBACK ->
          pushed(
              assignment, attempt, local(assignment, attempt), kind, context, metrics, statistics);
      case ALWAYS ->
          local(
              assignment,
              attempt,
              () -> backgroundPush.add(assignment, attempt),
              kind,
              context,
              metrics,
              statistics);
      case NEVER -> pushed(assignment, attempt, null, kind, context, metrics, statistics);
    };
  }

  /**
   * Opens a local-only output for an attempt whose shuffle servers no longer accept, in any mode.
   * Owned by the caller.
   *
   * @param kind what the attempt writes
   * @param statistics notified of the result when the output is closed
   */
  public MapOutput openLocal(
      ShuffleAssignment assignment,
      MapAttempt attempt,
      OutputKind kind,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics,
      ShuffleStatistics statistics) {
    return local(assignment, attempt, null, kind, context, metrics, statistics);
  }

  private LocalMapOutput local(ShuffleAssignment assignment, MapAttempt attempt) {
    return new LocalMapOutput(
        files, assignment.shuffle().getShuffle(), attempt.id(), assignment.partitionCount());
  }

  /**
   * Opens an output that writes all blocks to local output.
   *
   * @param afterCommit queues the background push; null if the blocks are never pushed
   */
  private MapOutput local(
      ShuffleAssignment assignment,
      MapAttempt attempt,
      Runnable afterCommit,
      OutputKind kind,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics,
      ShuffleStatistics statistics) {
    LocalMapOutput local = local(assignment, attempt);
    return new SessionOutput(
        client.localSession(assignment, attempt, options(null, local, kind)),
        attempt.id(),
        executor,
        local,
        afterCommit,
        context,
        metrics,
        statistics);
  }

  private MapOutput pushed(
      ShuffleAssignment assignment,
      MapAttempt attempt,
      LocalMapOutput local,
      OutputKind kind,
      TaskContext context,
      ShuffleWriteMetricsReporter metrics,
      ShuffleStatistics statistics) {
    return new SessionOutput(
        client.pushSession(assignment, attempt, options(replacementServers, local, kind)),
        attempt.id(),
        executor,
        local,
        null,
        context,
        metrics,
        statistics);
  }

  private PushOptions options(
      ReplacementServers replacement, LocalMapOutput local, OutputKind kind) {
    return kind.of(new PushOptions(transform, replacement, local, sizes, kind.rows()));
  }
}
