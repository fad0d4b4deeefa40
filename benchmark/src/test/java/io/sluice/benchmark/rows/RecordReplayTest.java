package io.sluice.benchmark.rows;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.benchmark.rows.RowReplay.Batch;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.test.TestEffort;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Replays segments of MapReduce records with and without record planes, and prints bytes and CPU
 * time of the last pass. {@code docs/performance.md} has the results.
 */
class RecordReplayTest {
  private static final int SEGMENT_BYTES = (2 << 20) - (2 << 20) / 16;
  private static final int SET_BYTES = 8 << 20;
  private static final int KEY_BYTES = 10;
  private static final int ROW_BYTES = 100;
  private static final String TERASORT = "terasort, `Text` of 10 and 90 bytes";
  private static final String WORDS = "combined words, `Text` and `IntWritable`";
  private static final String ONES = "words, `Text` and `IntWritable` 1";
  private static final String LONGS = "`LongWritable` and `LongWritable`";
  private static final String DOUBLES = "`LongWritable` and `DoubleWritable`";
  private static final String RANDOM = "`BytesWritable` of 10 and 90 random bytes";

  private final SplittableRandom random = new SplittableRandom(1);

  /** A record with lengths below 128, as {@code SegmentOutput} writes it. */
  private static byte[] record(byte[] key, byte[] value) {
    return ByteBuffer.allocate(2 + key.length + value.length)
        .put((byte) key.length)
        .put((byte) value.length)
        .put(key)
        .put(value)
        .array();
  }

  private static byte[] text(byte[] bytes) {
    return ByteBuffer.allocate(1 + bytes.length).put((byte) bytes.length).put(bytes).array();
  }

  private static byte[] bytesWritable(byte[] bytes) {
    return ByteBuffer.allocate(4 + bytes.length).putInt(bytes.length).put(bytes).array();
  }

  private static byte[] number(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  private static byte[] number(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  /** A record of teragen: 10 random bytes, then 90 with a row number and repeated digits. */
  private byte[] terasort(int row) {
    ByteBuffer value = ByteBuffer.allocate(ROW_BYTES - KEY_BYTES);
    value.putShort((short) 0x0011);
    value.put(String.format(Locale.ROOT, "%032X", row).getBytes(StandardCharsets.US_ASCII));
    value.putInt(0x8899AABB);
    for (int i = 0; i < 12; i++) {
      byte digit = (byte) "0123456789ABCDEF".charAt(random.nextInt(16));
      value.put(digit).put(digit).put(digit).put(digit);
    }
    byte[] key = new byte[KEY_BYTES];
    random.nextBytes(key);
    return record(text(key), text(value.putInt(0xCCDDEEFF).array()));
  }

  private byte[] noise() {
    byte[] key = new byte[KEY_BYTES];
    byte[] value = new byte[ROW_BYTES - KEY_BYTES];
    random.nextBytes(key);
    random.nextBytes(value);
    return record(bytesWritable(key), bytesWritable(value));
  }

  private static byte[] word(int number) {
    return text(("w" + Integer.toString(number, 36)).getBytes(StandardCharsets.US_ASCII));
  }

  private Map<String, List<Batch>> sets() {
    Map<String, List<Batch>> sets = new LinkedHashMap<>();
    sets.put(TERASORT, segments(1, this::terasort));
    // Few words are frequent. A combiner leaves each word once.
    sets.put(WORDS, segments(1, i -> record(word(i * 37), number(1 + 100_000 / (i + 1)))));
    sets.put(
        ONES,
        segments(1, i -> record(word(random.nextInt(1 << random.nextInt(1, 31))), number(1))));
    long day = 1_767_225_600_000L;
    sets.put(
        LONGS,
        segments(
            0,
            i ->
                record(
                    number((long) random.nextInt(1_000_000)),
                    number(day + random.nextInt(86_400_000)))));
    sets.put(
        DOUBLES,
        segments(
            0,
            i ->
                record(
                    number((long) random.nextInt(1_000_000)),
                    number(Double.doubleToLongBits(random.nextInt(100_000) / 100.0)))));
    sets.put(RANDOM, segments(4, i -> noise()));
    return sets;
  }

  /**
   * Segments of sorted records, with header, end mark and checksum.
   *
   * @param prefixBytes bytes of a key, its length, that its comparator leaves out
   */
  private static List<Batch> segments(int prefixBytes, IntFunction<byte[]> record) {
    int from = 2 + prefixBytes;
    Comparator<byte[]> byKey =
        (a, b) -> Arrays.compareUnsigned(a, from, 2 + a[0], b, from, 2 + b[0]);
    int count = SET_BYTES / record.apply(0).length;
    List<byte[]> records = IntStream.range(0, count).mapToObj(record).sorted(byKey).toList();
    List<Batch> segments = new ArrayList<>();
    for (int begin = 0; begin < count; ) {
      ByteArrayOutputStream segment = new ByteArrayOutputStream();
      segment.writeBytes(new byte[16]);
      int end = begin;
      while (end < count && segment.size() < SEGMENT_BYTES) {
        segment.writeBytes(records.get(end++));
      }
      segment.writeBytes(new byte[] {-1, -1, 1, 2, 3, 4});
      segments.add(new Batch(segment.toByteArray(), end - begin));
      begin = end;
    }
    return segments;
  }

  private static RowExchange measure(String name, List<Batch> segments, BlockCodec codec)
      throws IOException {
    RowExchange measured = null;
    for (int pass = 0; pass < TestEffort.times(1); pass++) {
      measured = RowReplay.ofRecords(name, segments, codec);
    }
    return measured;
  }

  @Test
  void recordPlanesSaveBytesOfRecordsWithFixedParts() throws IOException {
    Map<String, List<Batch>> sets = sets();
    Map<String, Double> lz4 = new LinkedHashMap<>();
    for (BlockCodec codec : List.of(BlockCodec.LZ4, BlockCodec.ZSTD, BlockCodec.NONE)) {
      for (Map.Entry<String, List<Batch>> set : sets.entrySet()) {
        RowExchange one = measure(set.getKey(), set.getValue(), codec);
        print(one);
        assertThat(one.ratio()).as(set.getKey()).isLessThanOrEqualTo(1);
        if (codec == BlockCodec.LZ4) {
          lz4.put(set.getKey(), one.ratio());
        }
      }
    }
    assertThat(lz4.get(TERASORT)).isLessThan(0.75);
    assertThat(lz4.get(LONGS)).isLessThan(0.75);
    assertThat(lz4.get(ONES)).isLessThan(0.95);
  }

  /** Prints a row of the table; CPU times are milliseconds for a MB of records. */
  private static void print(RowExchange one) {
    double megabytes = one.bytes() / 1e6;
    System.out.printf(
        Locale.ROOT,
        "| %s | %s | %.2f | %.2f | **%.2f** | %.2f | %.2f | %.2f | %.2f |%n",
        one.codec(),
        one.query(),
        one.plain().bytes() / one.bytes(),
        one.encoded().bytes() / one.bytes(),
        one.ratio(),
        one.plain().writeNanos() / 1e6 / megabytes,
        one.encoded().writeNanos() / 1e6 / megabytes,
        one.plain().readNanos() / 1e6 / megabytes,
        one.encoded().readNanos() / 1e6 / megabytes);
  }
}
