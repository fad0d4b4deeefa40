package org.apache.hadoop.mapred;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Random;
import java.util.function.Function;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparator;
import org.junit.jupiter.api.Test;

/** Compares the order of seeded random keys with Hadoop's comparators. */
class KeyPrefixTest {
  private final Random random = new Random(11);

  @Test
  void ordersAsTheComparatorDoes() throws IOException {
    check(KeyPrefix.TEXT, Text.class, length -> new Text(bytes(length)));
    check(KeyPrefix.BYTES, BytesWritable.class, length -> new BytesWritable(bytes(length)));
    check(KeyPrefix.INT, IntWritable.class, length -> new IntWritable(random.nextInt() >> length));
    check(
        KeyPrefix.LONG,
        LongWritable.class,
        length -> new LongWritable(random.nextLong() >> length));
  }

  @Test
  void isUnknownForADerivedComparator() {
    assertThat(KeyPrefix.of(new LongWritable.DecreasingComparator())).isEqualTo(KeyPrefix.UNKNOWN);
    assertThat(KeyPrefix.of(new Text.Comparator() {})).isEqualTo(KeyPrefix.UNKNOWN);
    assertThat(KeyPrefix.of(new SluiceMapOutputTest.Descending())).isEqualTo(KeyPrefix.UNKNOWN);
  }

  private <K extends Writable> void check(
      KeyPrefix expected,
      Class<? extends org.apache.hadoop.io.WritableComparable<?>> type,
      Function<Integer, K> key)
      throws IOException {
    RawComparator<?> comparator = WritableComparator.get(type);
    KeyPrefix prefix = KeyPrefix.of(comparator);
    assertThat(prefix).isEqualTo(expected);
    DataOutputBuffer keys = new DataOutputBuffer();
    int decided = 0;
    for (int i = 0; i < 20_000; i++) {
      keys.reset();
      // Bytes before and after a key must not matter.
      keys.writeInt(random.nextInt());
      int first = keys.getLength();
      key.apply(random.nextInt(24)).write(keys);
      int second = keys.getLength();
      key.apply(random.nextInt(24)).write(keys);
      int end = keys.getLength();
      keys.writeLong(random.nextLong());
      long one = prefix.of(keys.getData(), first, second - first);
      long other = prefix.of(keys.getData(), second, end - second);
      int order =
          comparator.compare(
              keys.getData(), first, second - first, keys.getData(), second, end - second);
      if (one != other) {
        assertThat(Long.compare(one, other)).isEqualTo(Integer.signum(order));
        decided++;
      }
    }
    assertThat(decided).isGreaterThan(10_000);
  }

  /** Few distinct bytes, so that many keys have equal prefixes. */
  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (random.nextInt(4) * 85);
    }
    return bytes;
  }
}
