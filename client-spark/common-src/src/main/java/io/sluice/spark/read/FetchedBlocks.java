package io.sluice.spark.read;

import io.sluice.client.read.BlocksMissingException;
import io.sluice.client.read.MissingBlocks;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.client.read.ReadCounters;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.spark.MapLocation;
import io.sluice.spark.MissingMaps;
import io.sluice.spark.TaskDirectMemory;
import io.sluice.spark.compat.SparkApis;
import io.sluice.spark.engine.BlockContents;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.apache.spark.TaskContext;
import org.apache.spark.shuffle.FetchFailedException;
import org.apache.spark.shuffle.ShuffleReadMetricsReporter;
import org.apache.spark.unsafe.Platform;

/**
 * Block contents fetched from servers and from local output. Updates Spark's read metrics, and
 * throws a fetch failure that names the map tasks to repeat when an expected block is lost.
 */
public final class FetchedBlocks implements BlockContents {
  private final ShuffleRead read;
  private final int shuffleId;
  private final BooleanSupplier outdated;
  private final TaskDirectMemory memory;
  private final TaskContext context;
  private final ShuffleReadMetricsReporter metrics;
  private ReadCounters reported = ReadCounters.ZERO;
  private long reportedWaitMs;
  private long reportedFetchMs;

  /**
   * @param read takes
   * @param outdated whether the shuffle now has servers that the read did not know; called when a
   *     block is missing, waits for a bounded time
   * @param memory takes: accounts the memory of the read's slices
   */
  public FetchedBlocks(
      ShuffleRead read,
      int shuffleId,
      BooleanSupplier outdated,
      TaskDirectMemory memory,
      TaskContext context,
      ShuffleReadMetricsReporter metrics) {
    this.read = read;
    this.shuffleId = shuffleId;
    this.outdated = outdated;
    this.memory = memory;
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
    memory.release(context.taskMetrics());
  }

  private IOException fetchFailed(BlocksMissingException cause) {
    if (outdated.getAsBoolean()) {
      // The block may be on a server that this attempt did not know. The task's next attempt reads
      // from all servers.
      return new IOException(
          "the assignment of the shuffle changed after this task attempt started, the next attempt"
              + " reads from all servers shuffle="
              + shuffleId,
          cause);
    }
    MissingBlocks first = cause.missing().get(0);
    Set<String> blamed = blamedServers(cause);
    // Checked exceptions are unchecked in Scala. Its constructor also notifies the task, in case
    // user code swallows the exception.
    Platform.throwException(
        new FetchFailedException(
            MapLocation.failed(first.mapAttempt(), blamed),
            shuffleId,
            first.mapAttempt(),
            first.mapIndex(),
            first.partition(),
            cause.getMessage() + "\n" + missingMaps(cause, blamed),
            cause));
    return cause;
  }

  private static Set<String> blamedServers(BlocksMissingException cause) {
    Set<String> blamed = new TreeSet<>();
    for (MissingBlocks one : cause.missing()) {
      List<String> failed = serversWith(FetchedBlocks::explainsLoss, one);
      blamed.addAll(failed.isEmpty() ? one.servers() : failed);
    }
    return blamed;
  }

  /** For the driver; in a line of its own, because Spark's pages show the line before it. */
  private static String missingMaps(BlocksMissingException cause, Set<String> blamed) {
    Set<String> silent = new TreeSet<>();
    for (MissingBlocks one : cause.missing()) {
      silent.addAll(serversWith(reason -> reason == Reason.UNREACHABLE, one));
    }
    return MissingMaps.text(
            cause.missing().stream()
                .map(one -> new MissingMaps.Attempt(one.mapIndex(), one.mapAttempt()))
                .toList())
        + " "
        + MissingMaps.servers(blamed, silent)
        + " "
        + MissingMaps.wrongReceipts(
            cause.missing().stream().filter(one -> one.reason() == Reason.MISMATCH).count());
  }

  private static List<String> serversWith(Predicate<Reason> reason, MissingBlocks missing) {
    return missing.answers().stream()
        .filter(answer -> reason.test(answer.reason()))
        .map(MissingBlocks.Answer::server)
        .toList();
  }

  /**
   * Whether this answer of a server explains a loss. A server that never received the block does
   * not: it may be a replacement server and store everything that was pushed to it.
   */
  private static boolean explainsLoss(Reason reason) {
    return switch (reason) {
      case NEVER_WRITTEN, INCOMPLETE -> false;
      case EXPIRED, LOST, UNREACHABLE, CORRUPT, MISMATCH -> true;
    };
  }

  /** Excludes blocks of local output, which {@code SparkLocalOutput} reports itself. */
  private static long remoteBlocks(ReadCounters counters) {
    return counters.blocks() - counters.local().blocks();
  }

  private void report() {
    ReadCounters now = read.counters();
    metrics.incRemoteBytesRead(now.bytes() - reported.bytes());
    metrics.incRemoteBlocksFetched(remoteBlocks(now) - remoteBlocks(reported));
    long waitMs = TimeUnit.NANOSECONDS.toMillis(now.waitNanos());
    metrics.incFetchWaitTime(waitMs - reportedWaitMs);
    reportedWaitMs = waitMs;
    long fetchMs = TimeUnit.NANOSECONDS.toMillis(now.requests().fetchNanos());
    SparkApis.current().addRemoteRequestMs(metrics, fetchMs - reportedFetchMs);
    reportedFetchMs = fetchMs;
    reported = now;
  }
}
