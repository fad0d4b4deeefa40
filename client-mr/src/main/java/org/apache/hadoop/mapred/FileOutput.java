package org.apache.hadoop.mapred;

import java.io.IOException;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.compress.CompressionCodec;

/** Writes sorted records in the format of Hadoop's spill files and map output files. */
final class FileOutput<K, V> implements PartitionedOutput<K, V>, AutoCloseable {
  private final JobConf job;
  private final CompressionCodec codec;
  private final Class<K> keyClass;
  private final Class<V> valueClass;
  private final Counters.Counter writtenRecords;
  private final FSDataOutputStream out;
  private final SpillRecord index;
  private IFile.Writer<K, V> writer;
  private int partition;
  private long start;

  /**
   * @param codec codec of the job's map output; null for none
   * @param writtenRecords counts every record
   */
  FileOutput(
      JobConf job,
      FileSystem local,
      Path file,
      CompressionCodec codec,
      Class<K> keyClass,
      Class<V> valueClass,
      Counters.Counter writtenRecords)
      throws IOException {
    this.job = job;
    this.codec = codec;
    this.keyClass = keyClass;
    this.valueClass = valueClass;
    this.writtenRecords = writtenRecords;
    this.index = new SpillRecord(job.getNumReduceTasks());
    this.out = local.create(file);
  }

  @Override
  public IFile.Writer<K, V> begin(int which) throws IOException {
    partition = which;
    start = out.getPos();
    writer = new IFile.Writer<>(job, out, keyClass, valueClass, codec, writtenRecords);
    return writer;
  }

  @Override
  public void end() throws IOException {
    writer.close();
    index.putIndex(
        new IndexRecord(start, writer.getRawLength(), writer.getCompressedLength()), partition);
  }

  /** Index of the file; complete after the last partition. */
  SpillRecord index() {
    return index;
  }

  /** Bytes written so far. */
  long bytes() throws IOException {
    return out.getPos();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
