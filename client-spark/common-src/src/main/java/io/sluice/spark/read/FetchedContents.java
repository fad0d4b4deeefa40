package io.sluice.spark.read;

import io.sluice.client.read.BlocksMissingException;
import io.sluice.client.read.MissingBlocks;
import io.sluice.client.read.ReadCounters;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.spark.MapLocation;
import io.sluice.spark.MissingMaps;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.unsafe.Platform;

/**
 * Contents as they come from the servers. Tells Spark's metrics what came, and Spark itself which
 * map task to repeat when something expected is nowhere to be had.
 */
public final class FetchedContents implements BlockContents {
  private final ShuffleRead read;
  private final int shuffleId;
  private final TaskContext context;
  private final ShuffleReadMetricsReporter metrics;
  private ReadCounters reported = ReadCounters.ZERO;
  private long reportedWaitMs;

  /**
   * @param read takes
   */
  public FetchedContents(
      ShuffleRead read, int shuffleId, TaskContext context, ShuffleReadMetricsReporter metrics) {
    this.read = read;
    this.shuffleId = shuffleId;
    this.context = context;
    this.metrics = metrics;
  }

  @Override
  public ByteBuffer next() throws IOException {
    context.killTaskIfInterrupted();
    try {
      ShuffleBlock block = read.next();
      return block == null ? null : block.content();
    } catch (BlocksMissingException e) {
      throw fetchFailed(e);
    } finally {
      report();
    }
  }

  @Override
  public void close() {
    read.close();
  }

  private IOException fetchFailed(BlocksMissingException cause) {
    MissingBlocks first = cause.missing().get(0);
    // Unchecked for Scala; making it also tells the task, in case user code swallows it.
    Platform.throwException(
        new FetchFailedException(
            MapLocation.of(first.mapAttempt()),
            shuffleId,
            first.mapAttempt(),
            first.mapIndex(),
            first.partition(),
            cause.getMessage() + " " + missingMaps(cause),
            cause));
    return cause;
  }

  private static String missingMaps(BlocksMissingException cause) {
    return MissingMaps.text(
        cause.missing().stream()
            .map(one -> new MissingMaps.Attempt(one.mapIndex(), one.mapAttempt()))
            .toList());
  }

  private void report() {
    ReadCounters now = read.counters();
    metrics.incRemoteBytesRead(now.bytes() - reported.bytes());
    metrics.incRemoteBlocksFetched(now.blocks() - reported.blocks());
    long waitMs = TimeUnit.NANOSECONDS.toMillis(now.waitNanos());
    metrics.incFetchWaitTime(waitMs - reportedWaitMs);
    reportedWaitMs = waitMs;
    reported = now;
  }
}
