package io.sluice.spark.write;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.SparkConf;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.sql.execution.UnsafeRowSerializer;
import org.junit.jupiter.api.Test;

class ShuffleRowsTest {
  private final ShuffleRows shuffles = new ShuffleRows(true);

  @Test
  void rowsAreFoundByTheirSerializer() {
    assertThat(shuffles.of(1, new UnsafeRowSerializer(17))).isNotNull();
  }

  @Test
  void tasksOfAShuffleShareTheirSamplesUntilItEnds() {
    UnsafeRowSerializer serializer = new UnsafeRowSerializer(3);
    assertThat(shuffles.of(1, serializer)).isSameAs(shuffles.of(1, new UnsafeRowSerializer(3)));
    assertThat(shuffles.of(1, serializer)).isNotSameAs(shuffles.of(2, serializer));
    Object before = shuffles.of(1, serializer);
    shuffles.forget(1);
    assertThat(shuffles.of(1, serializer)).isNotSameAs(before);
  }

  @Test
  void otherRecordsAreNotEncoded() {
    SparkConf conf = new SparkConf(false);
    assertThat(shuffles.of(1, new JavaSerializer(conf))).isNull();
    assertThat(shuffles.of(2, new KryoSerializer(conf))).isNull();
    assertThat(shuffles.of(3, new UnsafeRowSerializer(100_000))).isNull();
  }

  @Test
  void nothingIsEncodedIfThatIsTurnedOff() {
    assertThat(new ShuffleRows(false).of(1, new UnsafeRowSerializer(3))).isNull();
  }
}
