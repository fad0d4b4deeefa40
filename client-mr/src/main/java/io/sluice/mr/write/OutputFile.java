package io.sluice.mr.write;

import io.sluice.client.push.PushSession;
import io.sluice.mr.Segment;
import java.io.IOException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.IFile;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.SpillRecord;

/** A map attempt's output in Hadoop's own form: a file and its index. */
public final class OutputFile {
  /** A partition up to this size travels as it lies in the file. */
  static final int SEGMENT_BYTES = 4 << 20;

  private final JobConf job;
  private final FileSystem local;
  private final Path file;
  private final Path index;
  private final int segmentBytes;

  /**
   * @param file {@code file.out} of the attempt
   * @param index its index
   */
  public static OutputFile of(JobConf job, Path file, Path index) throws IOException {
    return new OutputFile(job, file, index, SEGMENT_BYTES);
  }

  OutputFile(JobConf job, Path file, Path index, int segmentBytes) throws IOException {
    this.job = job;
    this.local = FileSystem.getLocal(job).getRaw();
    this.file = file;
    this.index = index;
    this.segmentBytes = segmentBytes;
  }

  /** What was pushed. */
  public record Pushed(long segments, long bytes) {}

  /**
   * Pushes everything, and waits until it is safe.
   *
   * @param session borrows
   * @param codec of the file; null for none
   */
  public Pushed push(PushSession session, CompressionCodec codec) throws IOException {
    int partitions = job.getNumReduceTasks();
    SegmentSink sink = new SegmentSink(session, partitions);
    SpillRecord parts = new SpillRecord(index, job);
    session.beginFinalPass();
    try (FSDataInputStream in = local.open(file)) {
      byte[] content = new byte[0];
      for (int partition = 0; partition < partitions; partition++) {
        var part = parts.getIndex(partition);
        in.seek(part.startOffset);
        if (part.partLength > segmentBytes) {
          cut(part.startOffset, part.partLength, codec, partition, sink);
          continue;
        }
        int length = Segment.HEADER_BYTES + (int) part.partLength;
        if (content.length < length) {
          content = new byte[length];
        }
        in.readFully(content, Segment.HEADER_BYTES, (int) part.partLength);
        sink.add(partition, content, length, true, part.rawLength, 0);
      }
    }
    session.finish();
    return new Pushed(sink.segments(), sink.bytes());
  }

  private void cut(
      long offset, long length, CompressionCodec codec, int partition, SegmentSink sink)
      throws IOException {
    FSDataInputStream in = local.open(file);
    in.seek(offset);
    IFile.Reader<?, ?> reader = new IFile.Reader<>(job, in, length, codec, null);
    try {
      SegmentBuilder builder = new SegmentBuilder(job, codec, segmentBytes, sink);
      DataInputBuffer key = new DataInputBuffer();
      DataInputBuffer value = new DataInputBuffer();
      builder.begin(partition);
      while (reader.nextRawKey(key)) {
        reader.nextRawValue(value);
        builder.add(key, value);
      }
      builder.end(true);
    } finally {
      reader.close();
    }
  }

  /** Removes file and index: nobody will ask the node manager for them. */
  public void delete() throws IOException {
    local.delete(file, false);
    local.delete(index, false);
  }
}
