package org.apache.hadoop.mapred;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.rows.RecordPlanesDecoder;
import io.sluice.client.rows.RecordPlanesEncoder;
import io.sluice.mr.Segment;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.Contents.Entry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentOutputTest {
  private final Configuration conf = new Configuration();
  private final Counters.Counter written = new Counters.Counter();

  @Test
  void contentIsAsInItsGoldenFile() throws IOException {
    byte[] golden;
    try (InputStream in = getClass().getResourceAsStream("/golden/segment-v1.bin")) {
      golden = in.readAllBytes();
    }
    AddedContents added = new AddedContents(1);
    SegmentOutput<Text, Text> output = output(added, null, 100);
    add(output.begin(0), new Entry("k", "v"));
    output.end();

    byte[] content = added.byPartition.get(0).get(0);
    assertThat(Arrays.copyOfRange(content, Segment.HEADER_BYTES, content.length))
        .isEqualTo(Arrays.copyOfRange(golden, Segment.HEADER_BYTES, golden.length));
  }

  @Test
  void anEmptyPartitionIsAnEmptySegment() throws IOException {
    AddedContents added = new AddedContents(1);
    SegmentOutput<Text, Text> output = output(added, null, 100);
    output.begin(0);
    output.end();

    assertThat(Contents.read(added.byPartition.get(0), null)).containsExactly(List.of());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void cutsBetweenRecords(boolean compressed) throws IOException {
    CompressionCodec codec = null;
    if (compressed) {
      DefaultCodec own = new DefaultCodec();
      own.setConf(new Configuration(false));
      codec = own;
    }
    Random random = new Random(20261121);
    int partitions = 7;
    AddedContents added = new AddedContents(partitions);
    SegmentOutput<Text, Text> output = output(added, codec, 1000);
    List<List<Entry>> model = new ArrayList<>();
    for (int partition = 0; partition < partitions; partition++) {
      List<Entry> entries = new ArrayList<>();
      for (int i = random.nextInt(3) * random.nextInt(200); i > 0; i--) {
        // Some records are larger than a segment.
        int length = random.nextInt(50) == 0 ? 3000 : random.nextInt(40);
        entries.add(new Entry("key" + i, "v".repeat(length)));
      }
      IFile.Writer<Text, Text> writer = output.begin(partition);
      for (Entry entry : entries) {
        add(writer, entry);
      }
      output.end();
      model.add(entries);
    }

    for (int partition = 0; partition < partitions; partition++) {
      List<List<Entry>> segments = Contents.read(added.byPartition.get(partition), codec);
      assertThat(segments.stream().flatMap(List::stream)).isEqualTo(model.get(partition));
      for (List<Entry> segment : segments.subList(0, segments.size() - 1)) {
        int bytes = bytes(segment);
        assertThat(bytes).isGreaterThanOrEqualTo(1000);
        assertThat(bytes - bytes(segment.subList(segment.size() - 1, segment.size())))
            .isLessThan(1000);
      }
    }
    assertThat(output.segments()).isEqualTo(added.order.size());
    assertThat(written.getValue()).isEqualTo(model.stream().mapToLong(List::size).sum());
    output.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {9, 127, 128, 300, 3000})
  void segmentsAreRecordsForRecordPlanes(int valueLength) throws Exception {
    AddedContents added = new AddedContents(1);
    SegmentOutput<Text, Text> output = output(added, null, 1 << 20);
    IFile.Writer<Text, Text> writer = output.begin(0);
    for (int i = 0; i < 50; i++) {
      add(writer, new Entry("key" + i, "v".repeat(valueLength)));
    }
    output.end();
    byte[] segment = added.byPartition.get(0).get(0);

    RecordPlanesEncoder encoder = new RecordPlanesEncoder(Segment.HEADER_BYTES, true);
    int length = encoder.encode(segment, 0, segment.length, 50);

    assertThat(length).isBetween(1, segment.length / 2);
    byte[] decoded = new byte[segment.length];
    new RecordPlanesDecoder().decode(encoder.encoded(), length, decoded, decoded.length);
    assertThat(decoded).isEqualTo(segment);
  }

  private static int bytes(List<Entry> entries) {
    return entries.stream().mapToInt(one -> withLength(one.key()) + withLength(one.value())).sum();
  }

  private static int withLength(String text) {
    return WritableUtils.getVIntSize(text.length()) + text.length();
  }

  private SegmentOutput<Text, Text> output(
      AddedContents added, CompressionCodec codec, int segmentBytes) throws IOException {
    return new SegmentOutput<>(added, conf, codec, Text.class, Text.class, segmentBytes, written);
  }

  private static void add(IFile.Writer<Text, Text> writer, Entry entry) throws IOException {
    writer.append(buffer(entry.key()), buffer(entry.value()));
  }

  private static DataInputBuffer buffer(String text) {
    byte[] bytes = text.getBytes(UTF_8);
    DataInputBuffer buffer = new DataInputBuffer();
    buffer.reset(bytes, bytes.length);
    return buffer;
  }
}
