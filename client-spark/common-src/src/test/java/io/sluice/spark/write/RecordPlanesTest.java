package io.sluice.spark.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.compress.BlockCodecs;
import io.sluice.client.compress.BlockCompressor;
import io.sluice.common.block.BlockCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableUtils;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.serializer.SerializationStream;
import org.apache.spark.serializer.Serializer;
import org.junit.jupiter.api.Test;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * Measures how many bytes of a compressed block byte planes would save for records that are not
 * rows of SQL. The first plane has the length of every record, the others have byte {@code i} of
 * every record that is longer than {@code i}. Decision 0018 has the results.
 */
class RecordPlanesTest {
  private static final int BLOCK_BYTES = 256 << 10;
  private static final int RECORDS = 15_000;
  private static final int ROW_BYTES = 100;
  private static final int KEY_BYTES = 10;
  private static final String TERASORT = "MapReduce, terasort, Text of 10 and 90 bytes";
  private static final String LONGS = "MapReduce, LongWritable and LongWritable";
  private static final String DOUBLES = "MapReduce, LongWritable and DoubleWritable";
  private static final String RANDOM = "MapReduce, BytesWritable of 10 and 90 random bytes";
  private static final int ZSTD_LEVEL = 1;
  private static final String HEX = "0123456789ABCDEF";

  /** Bytes of all blocks of a data set. */
  private record Sizes(int serialized, int plain, int planes) {
    double saved() {
      return 1 - (double) planes / plain;
    }
  }

  /** A record of teragen: 10 random bytes, then 90 with a row number and repeated digits. */
  private static byte[] teraRow(int number, SplittableRandom random) {
    ByteBuffer row = ByteBuffer.allocate(ROW_BYTES);
    row.putLong(random.nextLong()).putShort((short) random.nextInt());
    row.putShort((short) 0x0011);
    row.put(String.format(Locale.ROOT, "%032X", number).getBytes(StandardCharsets.US_ASCII));
    row.putInt(0x8899AABB);
    for (int i = 0; i < 12; i++) {
      byte digit = (byte) HEX.charAt(random.nextInt(HEX.length()));
      row.put(digit).put(digit).put(digit).put(digit);
    }
    return row.putInt(0xCCDDEEFF).array();
  }

  private static byte[] key(byte[] row) {
    return Arrays.copyOf(row, KEY_BYTES);
  }

  private static byte[] value(byte[] row) {
    return Arrays.copyOfRange(row, KEY_BYTES, row.length);
  }

  /** A record of a MapReduce segment. */
  private static byte[] segmentRecord(Writable key, Writable value) {
    try (DataOutputBuffer keyBytes = new DataOutputBuffer();
        DataOutputBuffer valueBytes = new DataOutputBuffer();
        DataOutputBuffer record = new DataOutputBuffer()) {
      key.write(keyBytes);
      value.write(valueBytes);
      WritableUtils.writeVInt(record, keyBytes.getLength());
      WritableUtils.writeVInt(record, valueBytes.getLength());
      record.write(keyBytes.getData(), 0, keyBytes.getLength());
      record.write(valueBytes.getData(), 0, valueBytes.getLength());
      return Arrays.copyOf(record.getData(), record.getLength());
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Records of a map task, sorted by their bytes as the keys of these types are. */
  private static List<byte[]> segment(IntFunction<byte[]> record) {
    return IntStream.range(0, RECORDS).mapToObj(record).sorted(Arrays::compareUnsigned).toList();
  }

  /** Records that a serializer of Spark writes for pairs, in the order of the input. */
  private static List<byte[]> pairs(Serializer serializer, IntFunction<Object[]> pair)
      throws IOException {
    List<byte[]> records = new ArrayList<>();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ClassTag<Object> any = ClassTag$.MODULE$.apply(Object.class);
    try (SerializationStream stream = serializer.newInstance().serializeStream(bytes)) {
      for (int i = 0; i < RECORDS; i++) {
        Object[] one = pair.apply(i);
        stream.writeKey(one[0], any);
        stream.writeValue(one[1], any);
        stream.flush();
        records.add(bytes.toByteArray());
        bytes.reset();
      }
    }
    return records;
  }

  private static byte[] planes(List<byte[]> block) {
    int longest = block.stream().mapToInt(record -> record.length).max().orElse(0);
    ByteArrayOutputStream planes = new ByteArrayOutputStream();
    for (byte[] record : block) {
      planes.write(record.length);
      if (longest > 0xff) {
        planes.write(record.length >> Byte.SIZE);
      }
    }
    for (int i = 0; i < longest; i++) {
      for (byte[] record : block) {
        if (i < record.length) {
          planes.write(record[i]);
        }
      }
    }
    return planes.toByteArray();
  }

  private static byte[] concatenated(List<byte[]> block) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    block.forEach(bytes::writeBytes);
    return bytes.toByteArray();
  }

  private static int compressed(BlockCompressor compressor, byte[] bytes) {
    ByteBuffer target = ByteBuffer.allocateDirect(compressor.maxCompressedLength(bytes.length));
    return compressor.compress(bytes, 0, bytes.length, target);
  }

  private static Sizes measure(List<byte[]> records, BlockCodec codec) throws IOException {
    int serialized = 0;
    int plain = 0;
    int planes = 0;
    try (BlockCompressor compressor = BlockCodecs.compressor(codec, ZSTD_LEVEL)) {
      for (int from = 0; from < records.size(); ) {
        int end = from;
        for (int bytes = 0; end < records.size() && bytes < BLOCK_BYTES; end++) {
          bytes += records.get(end).length;
        }
        List<byte[]> block = records.subList(from, end);
        byte[] bytes = concatenated(block);
        serialized += bytes.length;
        plain += compressed(compressor, bytes);
        planes += compressed(compressor, planes(block));
        from = end;
      }
    }
    return new Sizes(serialized, plain, planes);
  }

  private static Map<String, List<byte[]>> segments() {
    SplittableRandom random = new SplittableRandom(1);
    Map<String, List<byte[]>> sets = new LinkedHashMap<>();
    sets.put(
        TERASORT,
        segment(
            i -> {
              byte[] row = teraRow(i, random);
              return segmentRecord(new Text(key(row)), new Text(value(row)));
            }));
    sets.put(
        RANDOM,
        segment(
            i -> {
              byte[] row = new byte[ROW_BYTES];
              random.nextBytes(row);
              return segmentRecord(new BytesWritable(key(row)), new BytesWritable(value(row)));
            }));
    sets.put(
        LONGS,
        segment(i -> segmentRecord(new LongWritable(id(random)), new LongWritable(time(random)))));
    sets.put(
        DOUBLES,
        segment(
            i -> segmentRecord(new LongWritable(id(random)), new DoubleWritable(price(random)))));
    sets.put(
        "MapReduce, Text of 2 to 7 bytes and IntWritable 1",
        segment(i -> segmentRecord(new Text(word(random)), new IntWritable(1))));
    return sets;
  }

  private static Map<String, List<byte[]>> pairs(String name, Serializer serializer)
      throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    Map<String, List<byte[]>> sets = new LinkedHashMap<>();
    String prefix = "RDD, " + name + ", ";
    sets.put(
        prefix + "Long and Long",
        pairs(serializer, i -> new Object[] {(long) id(random), time(random)}));
    sets.put(
        prefix + "Integer and Double",
        pairs(serializer, i -> new Object[] {id(random), price(random)}));
    sets.put(
        prefix + "Integer and String of 16 digits",
        pairs(
            serializer, i -> new Object[] {id(random), String.format("%016x", random.nextLong())}));
    sets.put(
        prefix + "byte[10] and byte[90] of terasort",
        pairs(
            serializer,
            i -> {
              byte[] row = teraRow(i, random);
              return new Object[] {key(row), value(row)};
            }));
    return sets;
  }

  private static int id(SplittableRandom random) {
    return random.nextInt(1_000_000);
  }

  /** A time of one day, in milliseconds. */
  private static long time(SplittableRandom random) {
    return 1_767_225_600_000L + random.nextInt(86_400_000);
  }

  private static double price(SplittableRandom random) {
    return random.nextInt(100_000) / 100.0;
  }

  private static String word(SplittableRandom random) {
    return "w" + Integer.toString(random.nextInt(1 << random.nextInt(1, 31)), 36);
  }

  /** The shares of saved bytes with LZ4 on which the decision rests. */
  @Test
  void planesSaveBytesOfRecordsWithStructureOnly() throws IOException {
    SparkConf conf = new SparkConf(false);
    Map<String, List<byte[]>> sets = new LinkedHashMap<>(segments());
    sets.putAll(pairs("Kryo", new KryoSerializer(conf)));
    sets.putAll(pairs("Java", new JavaSerializer(conf)));
    Map<String, Double> saved = new HashMap<>();
    for (Map.Entry<String, List<byte[]>> set : sets.entrySet()) {
      Sizes lz4 = measure(set.getValue(), BlockCodec.LZ4);
      Sizes zstd = measure(set.getValue(), BlockCodec.ZSTD);
      saved.put(set.getKey(), lz4.saved());
      System.out.printf(
          Locale.ROOT,
          "| %s | %.2f | %.2f | **%.0f %%** | %.2f | %.2f | **%.0f %%** |%n",
          set.getKey(),
          (double) lz4.plain / lz4.serialized,
          (double) lz4.planes / lz4.serialized,
          100 * lz4.saved(),
          (double) zstd.plain / zstd.serialized,
          (double) zstd.planes / zstd.serialized,
          100 * zstd.saved());
    }

    assertThat(saved.get(TERASORT)).isGreaterThan(0.25);
    assertThat(saved.get(LONGS)).isGreaterThan(0.25);
    assertThat(saved.get(RANDOM)).isLessThan(0.15);
    assertThat(saved.get(DOUBLES)).isNegative();
  }
}
