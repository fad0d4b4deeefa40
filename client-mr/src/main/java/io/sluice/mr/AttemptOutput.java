package io.sluice.mr;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.task.reduce.MapHost;
import org.apache.hadoop.mapreduce.task.reduce.MapOutput;
import org.apache.hadoop.mapreduce.task.reduce.ShuffleClientMetrics;

/**
 * The segments of one map attempt that this reduce task has received. They are passed to Hadoop's
 * merge together after the last one arrives, because the merge must not see parts of an attempt
 * that stays incomplete. Owned by the reading thread.
 */
public final class AttemptOutput<K, V> extends MapOutput<K, V> {
  private final List<MapOutput<K, V>> parts = new ArrayList<>();
  private final BitSet indexes = new BitSet();
  private final long startedMs;
  private int count = -1;
  private long bytes;

  public AttemptOutput(TaskAttemptID attempt, long startedMs) {
    super(attempt, 0, true);
    this.startedMs = startedMs;
  }

  /**
   * Checks a segment against the received ones.
   *
   * @throws SluiceException BAD_MESSAGE if the segment is a duplicate or follows the last one
   */
  public void expect(Segment segment) throws SluiceException {
    boolean fits =
        !indexes.get(segment.index())
            && (count < 0 || segment.index() < count)
            && (!segment.last() || (count < 0 && indexes.length() <= segment.index()));
    if (!fits) {
      throw new SluiceException(
          StatusCode.BAD_MESSAGE,
          "unexpected segment segment="
              + segment
              + " attempt="
              + getMapId()
              + " receivedIndexes="
              + indexes);
    }
    indexes.set(segment.index());
    if (segment.last()) {
      count = segment.index() + 1;
    }
  }

  /**
   * Adds a segment that {@link #expect} has checked.
   *
   * @param part takes: committed or aborted together with this output
   * @param length bytes of the segment, without its header
   */
  public void add(MapOutput<K, V> part, long length) {
    parts.add(part);
    bytes += length;
  }

  /** Whether every segment has been received. */
  public boolean isComplete() {
    return count >= 0 && indexes.cardinality() == count;
  }

  public int segments() {
    return parts.size();
  }

  /** Bytes of all segments, without their headers. */
  public long bytes() {
    return bytes;
  }

  /** Time at which its first segment was received. */
  public long startedMs() {
    return startedMs;
  }

  @Override
  public void shuffle(
      MapHost host,
      InputStream input,
      long compressedLength,
      long decompressedLength,
      ShuffleClientMetrics metrics,
      Reporter reporter) {
    throw new UnsupportedOperationException("segments are shuffled one by one");
  }

  @Override
  public void commit() throws IOException {
    for (MapOutput<K, V> part : parts) {
      part.commit();
    }
  }

  @Override
  public void abort() {
    parts.forEach(MapOutput::abort);
  }

  @Override
  public String getDescription() {
    return "SERVERS";
  }
}
