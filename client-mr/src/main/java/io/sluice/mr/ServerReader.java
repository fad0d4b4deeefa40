package io.sluice.mr;

import io.netty.buffer.ByteBufInputStream;
import io.netty.buffer.Unpooled;
import io.sluice.client.SluiceClient;
import io.sluice.client.read.BlocksMissingException;
import io.sluice.client.read.MissingBlocks;
import io.sluice.client.read.NewestAssignments;
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

/** Reads the outputs of map attempts from the servers. Belongs to one thread. */
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
  private final Map<Long, AttemptOutput<K, V>> begun = new HashMap<>();
  private int furtherSegments;

  /** What becomes of an attempt. */
  public interface Receiver<K, V> {
    boolean isWanted(TaskAttemptID attempt);

    /**
     * @param output takes: to be committed or aborted
     */
    void whole(AttemptOutput<K, V> output) throws IOException;

    /** The servers do not have all of it. */
    void missing(Output output);

    /** It is still to be read. */
    void notRead(Output output);
  }

  /**
   * @param client borrows
   * @param newest asked when the known servers do not have all
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
   * Reads the outputs of some attempts, of each all or nothing.
   *
   * @param outputs at least one, by ascending map
   * @throws IOException if what came cannot be kept
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
    try (ShuffleRead read = client.read(request.build())) {
      drain(read, open);
    } catch (BlocksMissingException e) {
      LOG.warn("map output missing reduce={} reason={}", reduce, e.getMessage());
      e.missing().stream().map(MissingBlocks::mapAttempt).forEach(missing::add);
      giveUpServers(e.missing());
    } catch (SluiceException e) {
      LOG.warn("map outputs cannot be read reduce={} maps={} reason={}", reduce, open.size(), e, e);
      missing.addAll(open.keySet());
    } finally {
      begun.values().forEach(AttemptOutput::abort);
      begun.clear();
    }
    for (Output output : open.values()) {
      if (missing.contains(output.id())) {
        receiver.missing(output);
      } else {
        receiver.notRead(output);
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

  private void drain(ShuffleRead read, Map<Long, Output> open)
      throws IOException, InterruptedException {
    for (ShuffleBlock block = read.next(); block != null; block = read.next()) {
      Output output = open.get(block.mapAttempt());
      AttemptOutput<K, V> attempt =
          begun.computeIfAbsent(
              block.mapAttempt(), id -> new AttemptOutput<>(output.attempt(), clockMs.getAsLong()));
      take(block.content(), attempt);
      if (attempt.isWhole()) {
        begun.remove(block.mapAttempt());
        open.remove(block.mapAttempt());
        if (receiver.isWanted(output.attempt())) {
          receiver.whole(attempt);
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
    // Only attempts that are whole free memory by themselves.
    boolean mayWait = begun.values().stream().allMatch(one -> one.segments() == 0);
    MapOutput<K, V> place =
        memory.place(name(segment, attempt.getMapId()), segment.rawLength(), mayWait);
    boolean kept = false;
    try {
      place.shuffle(
          servers,
          new ByteBufInputStream(Unpooled.wrappedBuffer(content)),
          length,
          segment.rawLength(),
          metrics,
          reporter);
      kept = true;
    } finally {
      if (!kept) {
        place.abort();
      }
    }
    attempt.add(place, length);
  }

  /**
   * Hadoop's merge names files after the map task that something in them is from, and each task
   * comes once there. So further segments of a task get the numbers of tasks that do not exist.
   */
  private TaskAttemptID name(Segment segment, TaskAttemptID attempt) {
    return segment.index() == 0
        ? attempt
        : new TaskAttemptID(
            new TaskID(attempt.getJobID(), TaskType.MAP, maps + furtherSegments++), 0);
  }
}
