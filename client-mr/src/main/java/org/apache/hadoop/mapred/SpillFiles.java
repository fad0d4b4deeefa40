package org.apache.hadoop.mapred;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.util.Progress;

/**
 * Sorted records spilled from the full sort buffer: files on the task's disks in the format of
 * Hadoop's collector, merged when they are written to an output. Owned by the task thread.
 */
final class SpillFiles<K, V> implements SortedRecords<K, V>, AutoCloseable {
  /** Key of Hadoop; {@code MRJobConfig} has the constant only since 3.4. */
  private static final String COUNT_LIMIT = "mapreduce.task.spill.files.count.limit";

  private final JobConf job;
  private final FileSystem local;
  private final MapOutputFile files;
  private final TaskAttemptID attempt;
  private final Class<K> keyClass;
  private final Class<V> valueClass;
  private final CompressionCodec codec;
  private final Combiner<K, V> combiner;
  private final int minSpillsForCombine;
  private final Counters.Counter writtenRecords;
  private final Task.TaskReporter reporter;
  private final List<Path> paths = new ArrayList<>();
  private final List<SpillRecord> indexes = new ArrayList<>();

  SpillFiles(
      MapOutputCollector.Context context,
      FileSystem local,
      Class<K> keyClass,
      Class<V> valueClass,
      CompressionCodec codec,
      Combiner<K, V> combiner,
      Counters.Counter writtenRecords) {
    this.job = context.getJobConf();
    this.local = local;
    this.files = context.getMapTask().getMapOutputFile();
    this.attempt = context.getMapTask().getTaskID();
    this.reporter = context.getReporter();
    this.keyClass = keyClass;
    this.valueClass = valueClass;
    this.codec = codec;
    this.combiner = combiner;
    this.minSpillsForCombine = job.getInt(MRJobConfig.MAP_COMBINE_MIN_SPILLS, 3);
    this.writtenRecords = writtenRecords;
  }

  boolean isEmpty() {
    return paths.isEmpty();
  }

  int count() {
    return paths.size();
  }

  /**
   * Adds one file.
   *
   * @param bytes estimated size of the file
   */
  void add(SortedRecords<K, V> records, long bytes)
      throws IOException, InterruptedException, ClassNotFoundException {
    int limit = job.getInt(COUNT_LIMIT, -1);
    if (limit >= 0 && paths.size() >= limit) {
      throw new IOException(
          "too many spill files: "
              + COUNT_LIMIT
              + " allows "
              + limit
              + "; raise it or mapreduce.task.io.sort.mb");
    }
    Path path = files.getSpillFileForWrite(paths.size(), bytes);
    paths.add(path);
    try (FileOutput<K, V> out =
        new FileOutput<>(job, local, path, codec, keyClass, valueClass, writtenRecords)) {
      records.writeTo(out);
      indexes.add(out.index());
    }
  }

  @Override
  public void writeTo(PartitionedOutput<K, V> output)
      throws IOException, InterruptedException, ClassNotFoundException {
    int factor = job.getInt(MRJobConfig.IO_SORT_FACTOR, MRJobConfig.DEFAULT_IO_SORT_FACTOR);
    @SuppressWarnings("unchecked") // As in Hadoop's collector: the job configures its key type.
    RawComparator<K> comparator = (RawComparator<K>) job.getOutputKeyComparator();
    for (int partition = 0; partition < job.getNumReduceTasks(); partition++) {
      List<Merger.Segment<K, V>> segments = new ArrayList<>();
      for (int i = 0; i < paths.size(); i++) {
        IndexRecord part = indexes.get(i).getIndex(partition);
        segments.add(
            new Merger.Segment<>(
                job, local, paths.get(i), part.startOffset, part.partLength, codec, true));
      }
      RawKeyValueIterator merged =
          Merger.merge(
              job,
              local,
              keyClass,
              valueClass,
              codec,
              segments,
              factor,
              new Path(attempt.toString()),
              comparator,
              reporter,
              segments.size() > factor,
              null,
              writtenRecords,
              new Progress(),
              TaskType.MAP);
      IFile.Writer<K, V> writer = output.begin(partition);
      if (combiner == null || paths.size() < minSpillsForCombine) {
        Merger.writeFile(merged, writer, reporter, job);
      } else {
        combiner.combine(merged, writer);
      }
      merged.close();
      output.end();
      reporter.progress();
    }
  }

  /** Removes the files. Idempotent. */
  @Override
  public void close() throws IOException {
    for (Path path : paths) {
      local.delete(path, false);
    }
    paths.clear();
    indexes.clear();
  }
}
