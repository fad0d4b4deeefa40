package io.sluice.mr;

import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.Unpooled;
import io.sluice.client.SluiceClient;
import io.sluice.client.read.BlocksMissingException;
import io.sluice.client.read.MissingBlocks;
import io.sluice.client.read.NewestAssignments;
import io.sluice.client.read.ReadCounters;
import io.sluice.client.read.ShuffleBlock;
import io.sluice.client.read.ShuffleRead;
import io.sluice.client.read.ShuffleReadRequest;
import io.sluice.common.error.SluiceException;
import io.sluice.mr.KnownOutputs.Output;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.TaskID;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.mapreduce.task.reduce.MapHost;
import org.apache.hadoop.mapreduce.task.reduce.MapOutput;
import org.apache.hadoop.mapreduce.task.reduce.ShuffleClientMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the outputs of map attempts from servers. Owned by one thread. */
public final class ServerReader<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(ServerReader.class);

  private final SluiceClient client;
  private final NewestAssignment assignment;
  private final TaskAttemptID reduce;
  private final int maps;
  private final SegmentMemory<K, V> memory;
  private final ShuffleClientMetrics metrics;
  private final Reporter reporter;
  private final Receiver<K, V> receiver;
  private final LongSupplier clockMs;
  private final NewestAssignments newest;
  private final MapHost servers = new MapHost("servers", "servers");
  private final Map<Long, AttemptOutput<K, V>> incomplete = new HashMap<>();
  private int additionalSegments;
  private ReadCounters counters = ReadCounters.ZERO;
  private long durationMs;

  /** Receives the result for each attempt. */
  public interface Receiver<K, V> {
    /** Whether the output of an attempt is still needed. */
    boolean isNeeded(TaskAttemptID attempt);

    /**
     * All segments of an attempt were received.
     *
     * @param output takes: must be committed or aborted
     */
    void complete(AttemptOutput<K, V> output) throws IOException;

    /** Servers do not have all segments of an attempt. */
    void missing(Output output);

    /** An attempt was not read, because the read failed before it. */
    void notRead(Output output);
  }

  /**
   * @param client borrows
   * @param newest asked for a newer assignment when blocks are missing
   */
  public ServerReader(
      SluiceClient client,
      NewestAssignment assignment,
      TaskAttemptID reduce,
      int maps,
      SegmentMemory<K, V> memory,
      ShuffleClientMetrics metrics,
      Reporter reporter,
      Receiver<K, V> receiver,
      LongSupplier clockMs,
      NewestAssignments newest) {
    this.client = client;
    this.assignment = assignment;
    this.reduce = reduce;
    this.maps = maps;
    this.memory = memory;
    this.metrics = metrics;
    this.reporter = reporter;
    this.receiver = receiver;
    this.clockMs = clockMs;
    this.newest = newest;
  }

  /**
   * Reads the outputs of some attempts; passes only complete outputs to the receiver.
   *
   * @param outputs at least one, by ascending map
   * @throws IOException if received data cannot be stored, or if an output that was passed to the
   *     receiver does not match its receipt
   */
  public void read(List<Output> outputs) throws IOException, InterruptedException {
    Map<Long, Output> open = new HashMap<>();
    int partition = reduce.getTaskID().getId();
    ShuffleReadRequest.Builder request =
        ShuffleReadRequest.builder(assignment.get())
            .anyOrder()
            .newest(newest)
            .mapRange(outputs.get(0).map(), outputs.get(outputs.size() - 1).map() + 1);
    for (Output output : outputs) {
      open.put(output.id(), output);
      request.expect(partition, output.id(), output.map());
    }
    Set<Long> missing = new HashSet<>();
    long startMs = clockMs.getAsLong();
    try (ShuffleRead read = client.read(request.build())) {
      try {
        readAll(read, open);
      } finally {
        countMatchedReceipts(read.counters().receipts());
        counters = counters.plus(read.counters());
      }
    } catch (BlocksMissingException e) {
      LOG.warn(
          "map output missing at servers attempt={} missingMaps={} reason=\"{}\"",
          reduce,
          e.missing().size(),
          e.getMessage());
      e.missing().stream().map(MissingBlocks::mapAttempt).forEach(missing::add);
      countWrongReceipts(e.missing());
      failIfPassedOn(e, open);
      giveUpServers(e.missing());
    } catch (SluiceException e) {
      LOG.warn(
          "read of map outputs failed attempt={} maps={} reason=\"{}\"", reduce, open.size(), e, e);
      missing.addAll(open.keySet());
    } finally {
      durationMs += clockMs.getAsLong() - startMs;
      incomplete.values().forEach(AttemptOutput::abort);
      incomplete.clear();
    }
    for (Output output : open.values()) {
      if (missing.contains(output.id())) {
        receiver.missing(output);
      } else {
        receiver.notRead(output);
      }
    }
  }

  /** Sum of the counters of all reads. */
  public ReadCounters counters() {
    return counters;
  }

  /** Sum of the durations of all reads. */
  public long durationMs() {
    return durationMs;
  }

  private void countMatchedReceipts(long matched) {
    if (matched > 0) {
      reporter.incrCounter(SluiceCounter.MATCHED_RECEIPTS, matched);
    }
  }

  private void countWrongReceipts(List<MissingBlocks> blocks) {
    long wrong =
        blocks.stream().filter(one -> one.reason() == MissingBlocks.Reason.MISMATCH).count();
    if (wrong > 0) {
      reporter.incrCounter(SluiceCounter.WRONG_RECEIPTS, wrong);
    }
  }

  /**
   * The receipt of an output can arrive after its last segment. The segments may then be merged
   * already, so that only another attempt of the reduce task can do without them.
   */
  private static void failIfPassedOn(BlocksMissingException cause, Map<Long, Output> open)
      throws IOException {
    for (MissingBlocks one : cause.missing()) {
      if (one.reason() == MissingBlocks.Reason.MISMATCH && !open.containsKey(one.mapAttempt())) {
        throw new IOException("a map output that is merged already is wrong", cause);
      }
    }
  }

  private void giveUpServers(List<MissingBlocks> blocks) {
    blocks.stream()
        .flatMap(one -> one.answers().stream())
        .filter(answer -> answer.reason() == MissingBlocks.Reason.UNREACHABLE)
        .map(MissingBlocks.Answer::server)
        .distinct()
        .forEach(server -> FailedServers.report(reporter, server));
  }

  private void readAll(ShuffleRead read, Map<Long, Output> open)
      throws IOException, InterruptedException {
    for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
      Output output = open.get(block.mapAttempt());
      AttemptOutput<K, V> attempt =
          incomplete.computeIfAbsent(
              block.mapAttempt(), id -> new AttemptOutput<>(output.attempt(), clockMs.getAsLong()));
      take(block.content(), attempt);
      if (attempt.isComplete()) {
        incomplete.remove(block.mapAttempt());
        open.remove(block.mapAttempt());
        if (receiver.isNeeded(output.attempt())) {
          receiver.complete(attempt);
        } else {
          attempt.abort();
        }
      }
      reporter.progress();
    }
  }

  private void take(ByteBuffer content, AttemptOutput<K, V> attempt)
      throws IOException, InterruptedException {
    Segment segment = Segment.read(content);
    attempt.expect(segment);
    int length = content.remaining();
    // Only complete attempts free memory without further progress of this thread.
    boolean mayWait = incomplete.values().stream().allMatch(one -> one.segments() == 0);
    MapOutput<K, V> output =
        memory.allocate(name(segment, attempt.getMapId()), segment.rawLength(), mayWait);
    boolean stored = false;
    try {
      output.shuffle(
          servers,
          new ByteBufInputStream(Unpooled.wrappedBuffer(content)),
          length,
          segment.rawLength(),
          metrics,
          reporter);
      stored = true;
    } finally {
      if (!stored) {
        output.abort();
      }
    }
    attempt.add(output, length);
  }

  /**
   * Hadoop's merge names files after a map task and expects each task once. So additional segments
   * of a task are named after map tasks that do not exist.
   */
  private TaskAttemptID name(Segment segment, TaskAttemptID attempt) {
    return segment.index() == 0
        ? attempt
        : new TaskAttemptID(
            new TaskID(attempt.getJobID(), TaskType.MAP, maps + additionalSegments++), 0);
  }
}
