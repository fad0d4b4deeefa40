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
 * All segments of one map attempt that have come for this reduce task. Handed to Hadoop's merge
 * together, when none is missing, because an attempt that stays incomplete must leave no trace.
 * Belongs to the reading thread.
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
   * Checks that a segment fits to the others.
   *
   * @throws SluiceException BAD_MESSAGE if it came before, or its number is beyond the last one's
   */
  public void expect(Segment segment) throws SluiceException {
    boolean fits =
        !indexes.get(segment.index())
            && (count < 0 || segment.index() < count)
            && (!segment.last() || (count < 0 && indexes.length() <= segment.index()));
    if (!fits) {
      throw new SluiceException(
          StatusCode.BAD_MESSAGE,
          "segment " + segment + " of " + getMapId() + " after segments " + indexes);
    }
    indexes.set(segment.index());
    if (segment.last()) {
      count = segment.index() + 1;
    }
  }

  /**
   * Adds what {@link #expect} was asked about.
   *
   * @param part takes: committed or aborted with this
   * @param length in bytes, without the header
   */
  public void add(MapOutput<K, V> part, long length) {
    parts.add(part);
    bytes += length;
  }

  /** Whether every segment is there. */
  public boolean isWhole() {
    return count >= 0 && indexes.cardinality() == count;
  }

  public int segments() {
    return parts.size();
  }

  /** Bytes of all segments, without their headers. */
  public long bytes() {
    return bytes;
  }

  /** When its first segment came. */
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
    throw new UnsupportedOperationException("each segment takes its own bytes");
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
