package org.apache.hadoop.mapred;

import io.sluice.client.LocalOutputMode;
import io.sluice.client.push.PushCounters;
import io.sluice.client.push.PushFailedException;
import io.sluice.client.push.PushSession;
import io.sluice.mr.FailedServers;
import io.sluice.mr.SluiceCounter;
import io.sluice.mr.TaskReports;
import io.sluice.proto.TaskReport;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.serializer.SerializationFactory;
import org.apache.hadoop.io.serializer.Serializer;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.util.IndexedSorter;
import org.apache.hadoop.util.QuickSort;
import org.apache.hadoop.util.ReflectionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sorts the output of a map task in {@code mapreduce.task.io.sort.mb} of memory and pushes it.
 * Records that do not fit are spilled to the task's disks and merged while they are pushed. The
 * output is kept until servers have all of it, so an attempt whose push fails writes ordinary map
 * output for its node manager. Owned by the task thread.
 */
final class SluiceMapOutput<K, V> implements MapOutputCollector<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(SluiceMapOutput.class);

  /** Uncompressed size of a segment, which a reducer reads as one unit. */
  static final int SEGMENT_BYTES = 4 << 20;

  private final PushSessions sessions;
  private final LocalOutputMode localOutput;
  private final int segmentBytes;
  private final Consumer<TaskReport> reports;
  private Context context;
  private JobConf job;
  private int partitions;
  private Class<K> keyClass;
  private Class<V> valueClass;
  private CompressionCodec codec;
  private Combiner<K, V> combiner;
  private SortBuffer<K> buffer;
  private SpillFiles<K, V> spills;
  private final DataOutputBuffer record = new DataOutputBuffer();
  private Serializer<K> keys;
  private Serializer<V> values;
  private Counters.Counter outputRecords;
  private Counters.Counter outputBytes;
  private Counters.Counter materializedBytes;
  private Counters.Counter spilledRecords;
  private Counters.Counter combineInput;
  private Counters.Counter combineOutput;
  private long pushedSegments;
  private long pushedBytes;
  private PushCounters pushCounters;
  private long localBytes;

  /**
   * @param sessions borrows
   * @param segmentBytes uncompressed bytes after which a segment ends
   * @param reports receives a report when the output is complete
   */
  SluiceMapOutput(
      PushSessions sessions,
      LocalOutputMode localOutput,
      int segmentBytes,
      Consumer<TaskReport> reports) {
    this.sessions = sessions;
    this.localOutput = localOutput;
    this.segmentBytes = segmentBytes;
    this.reports = reports;
  }

  @Override
  @SuppressWarnings("unchecked") // As in Hadoop's collector: the job configures its types.
  public void init(Context context) throws IOException, ClassNotFoundException {
    this.context = context;
    job = context.getJobConf();
    Task.TaskReporter reporter = context.getReporter();
    partitions = job.getNumReduceTasks();
    keyClass = (Class<K>) job.getMapOutputKeyClass();
    valueClass = (Class<V>) job.getMapOutputValueClass();
    outputRecords = reporter.getCounter(TaskCounter.MAP_OUTPUT_RECORDS);
    outputBytes = reporter.getCounter(TaskCounter.MAP_OUTPUT_BYTES);
    materializedBytes = reporter.getCounter(TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES);
    spilledRecords = reporter.getCounter(TaskCounter.SPILLED_RECORDS);
    combineInput = reporter.getCounter(TaskCounter.COMBINE_INPUT_RECORDS);
    combineOutput = reporter.getCounter(TaskCounter.COMBINE_OUTPUT_RECORDS);
    codec = MapOutputCodec.of(job);
    combiner =
        Combiner.of(job, context.getMapTask().getTaskID(), reporter, combineInput, combineOutput);
    int sortMb = job.getInt(MRJobConfig.IO_SORT_MB, MRJobConfig.DEFAULT_IO_SORT_MB);
    if (sortMb < 1 || sortMb > 2047) {
      throw new IOException("Invalid \"" + MRJobConfig.IO_SORT_MB + "\": " + sortMb);
    }
    buffer =
        new SortBuffer<>(
            partitions,
            (long) sortMb << 20,
            (RawComparator<K>) job.getOutputKeyComparator(),
            ReflectionUtils.newInstance(
                job.getClass(MRJobConfig.MAP_SORT_CLASS, QuickSort.class, IndexedSorter.class),
                job));
    FileSystem local = FileSystem.getLocal(job).getRaw();
    spills =
        new SpillFiles<>(context, local, keyClass, valueClass, codec, combiner, spilledRecords);
    SerializationFactory serializations = new SerializationFactory(job);
    keys = serializations.getSerializer(keyClass);
    keys.open(record);
    values = serializations.getSerializer(valueClass);
    values.open(record);
  }

  @Override
  public synchronized void collect(K key, V value, int partition)
      throws IOException, InterruptedException {
    context.getReporter().progress();
    check(key, value, partition);
    record.reset();
    keys.serialize(key);
    int keyLength = record.getLength();
    values.serialize(value);
    int length = record.getLength();
    if (!buffer.add(partition, record.getData(), keyLength, length)) {
      try {
        spill();
      } catch (ClassNotFoundException e) {
        throw new IOException("class of the job's combiner not found", e);
      }
      if (!buffer.add(partition, record.getData(), keyLength, length)) {
        throw new IllegalStateException("internal error: empty sort buffer rejected a record");
      }
    }
    outputRecords.increment(1);
    outputBytes.increment(length);
  }

  private void check(K key, V value, int partition) throws IOException {
    if (key.getClass() != keyClass) {
      throw new IOException(
          "Type mismatch in key from map: expected "
              + keyClass.getName()
              + ", received "
              + key.getClass().getName());
    }
    if (value.getClass() != valueClass) {
      throw new IOException(
          "Type mismatch in value from map: expected "
              + valueClass.getName()
              + ", received "
              + value.getClass().getName());
    }
    if (partition < 0 || partition >= partitions) {
      throw new IOException("Illegal partition for " + key + " (" + partition + ")");
    }
  }

  private void spill() throws IOException, InterruptedException, ClassNotFoundException {
    LOG.debug("spilling sorted records to disk spill={} bytes={}", spills.count(), buffer.bytes());
    buffer.sort(context.getReporter());
    spills.add(this::writeBuffer, buffer.bytes());
    buffer.clear();
  }

  private void writeBuffer(PartitionedOutput<K, V> output)
      throws IOException, InterruptedException, ClassNotFoundException {
    for (int partition = 0; partition < partitions; partition++) {
      IFile.Writer<K, V> writer = output.begin(partition);
      RawKeyValueIterator records = buffer.records(partition);
      if (combiner != null && !buffer.isEmpty(partition)) {
        combiner.combine(records, writer);
      } else {
        while (records.next()) {
          writer.append(records.getKey(), records.getValue());
        }
      }
      output.end();
      context.getReporter().progress();
    }
  }

  @Override
  public void flush() throws IOException, InterruptedException, ClassNotFoundException {
    SortedRecords<K, V> sorted;
    if (spills.isEmpty()) {
      buffer.sort(context.getReporter());
      sorted = this::writeBuffer;
    } else {
      if (!buffer.isEmpty()) {
        spill();
      }
      // The merge does not need the buffer's memory.
      buffer = null;
      sorted = spills;
    }
    deliver(sorted);
    buffer = null;
    spills.close();
    context.getMapTask().getSortPhase().complete();
  }

  private void deliver(SortedRecords<K, V> sorted)
      throws IOException, InterruptedException, ClassNotFoundException {
    boolean local = localOutput == LocalOutputMode.ALWAYS;
    if (local) {
      writeLocally(sorted);
    }
    List<Counters.Counter> counted =
        List.of(spilledRecords, combineInput, combineOutput, materializedBytes);
    long[] before = new long[counted.size()];
    for (int i = 0; i < before.length; i++) {
      before[i] = counted.get(i).getValue();
    }
    boolean pushed = false;
    try {
      sessions.withSession(session -> push(sorted, session));
      pushed = true;
      materializedBytes.increment(pushedBytes);
      count(SluiceCounter.PUSHED_SEGMENTS, pushedSegments);
      count(SluiceCounter.PUSHED_BYTES, pushedBytes);
    } catch (InterruptedIOException e) {
      throw e;
    } catch (IOException e) {
      if (e instanceof PushFailedException failure) {
        FailedServers.report(context.getReporter(), failure.server());
      }
      if (localOutput == LocalOutputMode.NEVER) {
        throw e;
      }
      LOG.warn(
          "map output kept locally: push failed attempt={} reason=\"{}\"",
          context.getMapTask().getTaskID(),
          e,
          e);
    }
    if (!pushed || local) {
      // Each record is counted once, even if it was written twice.
      for (int i = 0; i < before.length; i++) {
        counted.get(i).setValue(before[i]);
      }
    }
    if (!local) {
      if (pushed) {
        createEmptyFile();
      } else {
        writeLocally(sorted);
      }
    }
    reports.accept(
        pushed ? TaskReports.ofPush(pushCounters) : TaskReports.ofLocalOutput(localBytes));
  }

  private void push(SortedRecords<K, V> sorted, PushSession session)
      throws IOException, InterruptedException, ClassNotFoundException {
    try (SegmentOutput<K, V> output =
        new SegmentOutput<>(
            session, job, codec, keyClass, valueClass, segmentBytes, spilledRecords)) {
      session.beginFinalPass();
      sorted.writeTo(output);
      session.finish();
      pushedSegments = output.segments();
      pushedBytes = output.bytes();
      pushCounters = session.counters();
    }
  }

  private void writeLocally(SortedRecords<K, V> sorted)
      throws IOException, InterruptedException, ClassNotFoundException {
    MapOutputFile files = context.getMapTask().getMapOutputFile();
    FileSystem local = FileSystem.getLocal(job).getRaw();
    Path file = files.getOutputFileForWrite(outputBytes.getValue());
    SpillRecord index;
    try (FileOutput<K, V> out =
        new FileOutput<>(job, local, file, codec, keyClass, valueClass, spilledRecords)) {
      sorted.writeTo(out);
      index = out.index();
      localBytes = out.bytes();
      materializedBytes.increment(localBytes);
    }
    index.writeToFile(
        files.getOutputIndexFileForWrite(
            (long) partitions * MapTask.MAP_OUTPUT_INDEX_RECORD_LENGTH),
        job);
    count(SluiceCounter.LOCAL_OUTPUTS, 1);
  }

  /**
   * At its end, Hadoop's task reads the size of this file and logs a stack trace if it is missing.
   */
  private void createEmptyFile() throws IOException {
    Path file = context.getMapTask().getMapOutputFile().getOutputFileForWrite(0);
    FileSystem.getLocal(job).getRaw().create(file).close();
  }

  private void count(SluiceCounter counter, long more) {
    context.getReporter().incrCounter(counter, more);
  }

  @Override
  public void close() throws IOException {
    buffer = null;
    if (spills != null) {
      spills.close();
    }
  }
}
