package io.sluice.mr.write;

import io.sluice.mr.Segment;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.IFile;

/**
 * Collects sorted records of one partition and cuts them into segments: a segment is full when its
 * records take so many bytes, and no record is cut. Belongs to the task thread.
 */
final class SegmentBuilder {
  private final Configuration conf;
  private final CompressionCodec codec;
  private final int segmentBytes;
  private final SegmentSink sink;
  private final Content content = new Content();
  private IFile.Writer<?, ?> writer;
  private int partition;
  private int rawBytes;
  private int records;

  /** Lets go of its bytes without a copy. */
  private static final class Content extends ByteArrayOutputStream {
    byte[] bytes() {
      return buf;
    }
  }

  /**
   * @param codec of the job's map output; null for none
   * @param segmentBytes of records, not compressed
   */
  SegmentBuilder(
      Configuration conf, CompressionCodec codec, int segmentBytes, SegmentSink sink) {
    this.conf = conf;
    this.codec = codec;
    this.segmentBytes = segmentBytes;
    this.sink = sink;
  }

  /** Begins a partition. */
  void begin(int which) {
    partition = which;
  }

  /** Adds a record: not smaller, in the job's order, than the one before. */
  void add(DataInputBuffer key, DataInputBuffer value) throws IOException {
    if (writer != null && rawBytes >= segmentBytes) {
      seal(false);
    }
    open();
    rawBytes += key.getLength() - key.getPosition() + value.getLength() - value.getPosition();
    writer.append(key, value);
    records++;
  }

  private void open() throws IOException {
    if (writer == null) {
      content.reset();
      content.write(new byte[Segment.HEADER_BYTES]);
      writer =
          new IFile.Writer<>(
              conf, new FSDataOutputStream(content, null), null, null, codec, null);
    }
  }

  /**
   * Ends the partition: with an empty segment if there was no record, for a reader has to see that
   * there is none.
   *
   * @param last whether the attempt adds nothing more to it
   */
  void end(boolean last) throws IOException {
    open();
    seal(last);
  }

  private void seal(boolean last) throws IOException {
    writer.close();
    sink.add(partition, content.bytes(), content.size(), last, writer.getRawLength(), records);
    writer = null;
    rawBytes = 0;
    records = 0;
  }
}
