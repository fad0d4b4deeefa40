package org.apache.hadoop.mapred;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.LocalOutputMode;
import io.sluice.client.push.PushFailedException;
import io.sluice.common.error.StatusCode;
import io.sluice.mr.LoggedMessages;
import io.sluice.mr.SluiceCounter;
import io.sluice.proto.TaskReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.Contents.Entry;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.log4j.Level;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares the output for seeded random records with a simple model and with Hadoop's collector.
 */
class SluiceMapOutputTest {
  private static final List<TaskCounter> COUNTERS =
      List.of(
          TaskCounter.MAP_OUTPUT_RECORDS,
          TaskCounter.MAP_OUTPUT_BYTES,
          TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES,
          TaskCounter.SPILLED_RECORDS,
          TaskCounter.COMBINE_INPUT_RECORDS,
          TaskCounter.COMBINE_OUTPUT_RECORDS);

  @TempDir Path directory;

  private record Collected(int partition, String key, String value) {}

  /** Joins the values of a key, sorted, so that the order of combining does not matter. */
  public static final class Joining extends MapReduceBase
      implements Reducer<Text, Text, Text, Text> {
    @Override
    public void reduce(
        Text key, Iterator<Text> values, OutputCollector<Text, Text> output, Reporter reporter)
        throws IOException {
      List<String> all = new ArrayList<>();
      values.forEachRemaining(value -> Collections.addAll(all, value.toString().split(",")));
      Collections.sort(all);
      output.collect(key, new Text(String.join(",", all)));
    }
  }

  /** Descending order. */
  public static final class Descending extends WritableComparator {
    public Descending() {
      super(Text.class);
    }

    @Override
    public int compare(byte[] one, int at, int length, byte[] two, int at2, int length2) {
      // Skips the length, which is one byte here.
      return compareBytes(two, at2 + 1, length2 - 1, one, at + 1, length - 1);
    }
  }

  private MapAttemptInTest attempt(String name, int partitions) throws IOException {
    MapAttemptInTest attempt =
        new MapAttemptInTest(Files.createDirectories(directory.resolve(name)), partitions);
    attempt.job.setMapOutputKeyClass(Text.class);
    attempt.job.setMapOutputValueClass(Text.class);
    attempt.job.setInt(MRJobConfig.IO_SORT_MB, 1);
    return attempt;
  }

  private AddedContents added;
  private final List<TaskReport> reports = new ArrayList<>();

  @BeforeEach
  void nothingIsAdded() {
    added = null;
  }

  private SluiceMapOutput<Text, Text> pushing(int partitions, LocalOutputMode mode) {
    added = new AddedContents(partitions);
    return new SluiceMapOutput<>(
        action -> action.with(added), mode, SluiceMapOutput.SEGMENT_BYTES, reports::add);
  }

  private SluiceMapOutput<Text, Text> failing(LocalOutputMode mode) {
    return new SluiceMapOutput<>(
        action -> {
          action.with(new AddedContents(100));
          throw new PushFailedException("server-1", StatusCode.BUSY, "no more", null);
        },
        mode,
        SluiceMapOutput.SEGMENT_BYTES,
        reports::add);
  }

  private static void collect(
      MapOutputCollector<Text, Text> output, MapAttemptInTest attempt, List<Collected> records)
      throws Exception {
    output.init(attempt.context());
    for (Collected one : records) {
      output.collect(new Text(one.key()), new Text(one.value()), one.partition());
    }
    output.flush();
    output.close();
  }

  private static List<Collected> records(Random random, int count, int partitions, int valueBytes) {
    List<Collected> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      records.add(
          new Collected(
              random.nextInt(partitions),
              "k" + random.nextInt(1 + count / 4),
              "v" + i + "x".repeat(random.nextInt(valueBytes))));
    }
    return records;
  }

  @ParameterizedTest
  @CsvSource({
    "0, 3, 10, false",
    "1, 1, 10, false",
    "500, 1, 100, true",
    "2000, 200, 10, false",
    "20000, 7, 200, false",
    "20000, 50, 200, true",
    "3000, 1000, 50, true",
  })
  void everyPartitionIsSortedAndWhole(int count, int partitions, int valueBytes, boolean compressed)
      throws Exception {
    MapAttemptInTest attempt = attempt("sluice", partitions);
    attempt.job.setCompressMapOutput(compressed);
    List<Collected> records = records(new Random(count), count, partitions, valueBytes);

    collect(pushing(partitions, LocalOutputMode.FALLBACK), attempt, records);

    assertThat(added.finished).isTrue();
    assertThat(added.order).isSorted();
    check(pushed(codec(attempt, compressed)), records, Comparator.naturalOrder());
    assertThat(files())
        .as("left on disks")
        .hasSize(1)
        .allSatisfy(file -> assertThat(file).isEmptyFile());
    assertThat(counter(attempt, TaskCounter.MAP_OUTPUT_RECORDS)).isEqualTo(count);
    assertThat(reports)
        .singleElement()
        .isEqualTo(TaskReport.newBuilder().setPushedBytes(AddedContents.BYTES).build());
    assertThat(attempt.counters.findCounter(SluiceCounter.PUSHED_SEGMENTS).getValue())
        .isEqualTo(added.order.size());
  }

  private static CompressionCodec codec(MapAttemptInTest attempt, boolean compressed) {
    DefaultCodec codec = new DefaultCodec();
    codec.setConf(attempt.job);
    return compressed ? codec : null;
  }

  @Test
  void sortsWithTheComparatorOfTheJob() throws Exception {
    MapAttemptInTest attempt = attempt("sluice", 3);
    attempt.job.setOutputKeyComparatorClass(Descending.class);
    List<Collected> records = records(new Random(5), 20_000, 3, 200);

    collect(pushing(3, LocalOutputMode.FALLBACK), attempt, records);

    check(pushed(null), records, Comparator.reverseOrder());
  }

  @ParameterizedTest
  @CsvSource({"300, 10", "30000, 60"})
  void combinesOnTheWay(int count, int valueBytes) throws Exception {
    MapAttemptInTest attempt = attempt("sluice", 4);
    attempt.job.setCombinerClass(Joining.class);
    List<Collected> records = records(new Random(6), count, 4, valueBytes);

    collect(pushing(4, LocalOutputMode.FALLBACK), attempt, records);

    List<List<Entry>> found = pushed(null);
    for (int partition = 0; partition < 4; partition++) {
      TreeMap<String, List<String>> model = new TreeMap<>();
      for (Collected one : records) {
        if (one.partition() == partition) {
          model.computeIfAbsent(one.key(), key -> new ArrayList<>()).add(one.value());
        }
      }
      List<Entry> expected = new ArrayList<>();
      model.forEach(
          (key, values) -> {
            Collections.sort(values);
            expected.add(new Entry(text(key), text(String.join(",", values))));
          });
      // Once per key, because there are enough spills to run the combiner in their merge.
      assertThat(found.get(partition)).isEqualTo(expected);
    }
  }

  @Test
  void countsLikeTheBuiltInCollector() throws Exception {
    MapAttemptInTest own = attempt("own", 5);
    MapAttemptInTest ours = attempt("sluice", 5);
    MapAttemptInTest failed = attempt("failed", 5);
    for (MapAttemptInTest attempt : List.of(own, ours, failed)) {
      attempt.job.setCombinerClass(Joining.class);
    }
    List<Collected> records = records(new Random(7), 3000, 5, 50);

    collect(new MapTask.MapOutputBuffer<>(), own, records);
    collect(pushing(5, LocalOutputMode.FALLBACK), ours, records);
    collect(failing(LocalOutputMode.FALLBACK), failed, records);

    for (TaskCounter counter : COUNTERS) {
      assertThat(counter(ours, counter)).as(counter.name()).isEqualTo(counter(own, counter));
      assertThat(counter(failed, counter)).as(counter.name()).isEqualTo(counter(own, counter));
    }
  }

  @ParameterizedTest
  @CsvSource({"2000, 50", "20000, 200"})
  void leavesOrdinaryOutputWhenItCannotPush(int count, int valueBytes) throws Exception {
    MapAttemptInTest attempt = attempt("sluice", 6);
    List<Collected> records = records(new Random(8), count, 6, valueBytes);

    collect(failing(LocalOutputMode.FALLBACK), attempt, records);

    check(local(attempt), records, Comparator.naturalOrder());
    assertThat(attempt.counters.findCounter(SluiceCounter.PUSHED_SEGMENTS).getValue()).isZero();
    assertThat(attempt.counters.findCounter(SluiceCounter.LOCAL_OUTPUTS).getValue()).isOne();
    assertThat(files()).as("nothing else").hasSize(2);
    assertThat(reports)
        .singleElement()
        .isEqualTo(
            TaskReport.newBuilder()
                .setLocalWrittenBytes(counter(attempt, TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES))
                .build());
  }

  @Test
  void pushesAndWritesLocallyInModeAlways() throws Exception {
    MapAttemptInTest attempt = attempt("sluice", 6);
    List<Collected> records = records(new Random(9), 3000, 6, 100);

    collect(pushing(6, LocalOutputMode.ALWAYS), attempt, records);

    check(local(attempt), records, Comparator.naturalOrder());
    check(pushed(null), records, Comparator.naturalOrder());
    assertThat(counter(attempt, TaskCounter.SPILLED_RECORDS)).isEqualTo(3000);
    assertThat(attempt.counters.findCounter(SluiceCounter.LOCAL_OUTPUTS).getValue()).isOne();
  }

  @Test
  void failsInModeNever() throws Exception {
    MapAttemptInTest attempt = attempt("sluice", 2);
    List<Collected> records = records(new Random(10), 100, 2, 10);

    assertThatThrownBy(() -> collect(failing(LocalOutputMode.NEVER), attempt, records))
        .isInstanceOf(PushFailedException.class);
    assertThat(files()).isEmpty();
    assertThat(reports).isEmpty();
  }

  @Test
  void aHealthyAttemptThatSpillsLogsNothingAtInfo() throws Exception {
    MapAttemptInTest attempt = attempt("healthy", 3);
    List<Collected> records = records(new Random(1), 20_000, 3, 200);

    assertThat(
            LoggedMessages.of(
                SluiceMapOutput.class,
                Level.INFO,
                () -> collect(pushing(3, LocalOutputMode.FALLBACK), attempt, records)))
        .isEmpty();

    assertThat(counter(attempt, TaskCounter.SPILLED_RECORDS)).isGreaterThan(records.size());
  }

  @Test
  void acceptsARecordLargerThanItsMemory() throws Exception {
    MapAttemptInTest attempt = attempt("sluice", 2);
    List<Collected> records =
        List.of(
            new Collected(1, "b", "small"),
            new Collected(0, "a", "x".repeat(3 << 20)),
            new Collected(1, "a", "small"));

    collect(pushing(2, LocalOutputMode.FALLBACK), attempt, records);

    check(pushed(null), records, Comparator.naturalOrder());
  }

  @Test
  void refusesWrongTypesAndPartitions() throws Exception {
    MapAttemptInTest attempt = attempt("sluice", 2);
    MapOutputCollector<Text, Text> output = pushing(2, LocalOutputMode.FALLBACK);
    output.init(attempt.context());

    assertThatThrownBy(() -> output.collect(new Text("a"), new Text("b"), 2))
        .hasMessage("Illegal partition for a (2)");
    assertThatThrownBy(() -> output.collect(new Text("a"), new Text("b"), -1))
        .hasMessageContaining("Illegal partition");
    assertThatThrownBy(() -> output.collect(new Text("a"), new Text() {}, 0))
        .hasMessageContaining("Type mismatch in value from map");
    assertThatThrownBy(() -> output.collect(new Text() {}, new Text("b"), 0))
        .hasMessageContaining("Type mismatch in key from map");
  }

  private static long counter(MapAttemptInTest attempt, TaskCounter counter) {
    return attempt.counters.findCounter(counter).getValue();
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> !file.getFileName().toString().endsWith(".crc"))
          .toList();
    }
  }

  /** A string as {@link Text} writes it; short strings have a length byte in front. */
  private static String text(String value) {
    try {
      org.apache.hadoop.io.DataOutputBuffer out = new org.apache.hadoop.io.DataOutputBuffer();
      new Text(value).write(out);
      return new String(out.getData(), 0, out.getLength(), java.nio.charset.StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private List<List<Entry>> pushed(CompressionCodec codec) throws IOException {
    List<List<Entry>> partitions = new ArrayList<>();
    for (List<byte[]> contents : added.byPartition) {
      partitions.add(Contents.read(contents, codec).stream().flatMap(List::stream).toList());
    }
    return partitions;
  }

  private static List<List<Entry>> local(MapAttemptInTest attempt) throws IOException {
    MapOutputFile files = attempt.task.getMapOutputFile();
    SpillRecord index = new SpillRecord(files.getOutputIndexFile(), attempt.job);
    List<List<Entry>> partitions = new ArrayList<>();
    for (int i = 0; i < attempt.job.getNumReduceTasks(); i++) {
      IndexRecord part = index.getIndex(i);
      FSDataInputStream in = FileSystem.getLocal(attempt.job).getRaw().open(files.getOutputFile());
      in.seek(part.startOffset);
      IFile.Reader<Text, Text> reader =
          new IFile.Reader<>(attempt.job, in, part.partLength, null, null);
      List<Entry> entries = new ArrayList<>();
      DataInputBuffer key = new DataInputBuffer();
      DataInputBuffer value = new DataInputBuffer();
      while (reader.nextRawKey(key)) {
        reader.nextRawValue(value);
        entries.add(new Entry(Contents.text(key), Contents.text(value)));
      }
      reader.close();
      partitions.add(entries);
    }
    return partitions;
  }

  private static void check(
      List<List<Entry>> found, List<Collected> records, Comparator<String> order) {
    for (int i = 0; i < found.size(); i++) {
      int partition = i;
      List<Entry> expected =
          records.stream()
              .filter(one -> one.partition() == partition)
              .map(one -> new Entry(text(one.key()), text(one.value())))
              .toList();
      assertThat(found.get(i)).extracting(one -> one.key().substring(1)).isSortedAccordingTo(order);
      assertThat(found.get(i)).containsExactlyInAnyOrderElementsOf(expected);
    }
  }
}
