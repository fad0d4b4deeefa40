package io.sluice.spark;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.spark.SparkConf;
import org.apache.spark.serializer.JavaSerializer;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.sql.execution.UnsafeRowSerializer;
import org.apache.spark.util.LongAccumulator;
import org.junit.jupiter.api.Test;

class RowSerializerTest {
  @Test
  void isFoundByItsName() {
    LongAccumulator dataSize = new LongAccumulator();

    RowSerializer found = RowSerializer.of(new UnsafeRowSerializer(17, dataSize)).orElseThrow();
    found.addDataSize(40);
    found.addDataSize(2);

    assertThat(found.fields()).isEqualTo(17);
    assertThat(dataSize.value()).isEqualTo(42);
  }

  @Test
  void mayHaveNoMetric() {
    RowSerializer found = RowSerializer.of(new UnsafeRowSerializer(17)).orElseThrow();
    found.addDataSize(40);

    assertThat(found.fields()).isEqualTo(17);
  }

  @Test
  void isNoOtherSerializer() {
    SparkConf conf = new SparkConf(false);

    assertThat(RowSerializer.of(new JavaSerializer(conf))).isEmpty();
    assertThat(RowSerializer.of(new KryoSerializer(conf))).isEmpty();
  }
}
