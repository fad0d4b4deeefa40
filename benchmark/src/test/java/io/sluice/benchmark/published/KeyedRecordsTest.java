package io.sluice.benchmark.published;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class KeyedRecordsTest {
  @Test
  void readsEveryRecord() {
    ByteBuffer serialized = ByteBuffer.wrap(KeyedRecords.random(3, new Random(1)));
    long keys = serialized.getLong(0) + serialized.getLong(100) + serialized.getLong(200);
    KeyedRecords records = new KeyedRecords();

    records.read(serialized.duplicate());
    records.read(serialized.slice(100, 100));

    assertThat(serialized.capacity()).isEqualTo(300);
    assertThat(records.count()).isEqualTo(4);
    assertThat(records.keys()).isEqualTo(keys + serialized.getLong(100));
    assertThat(records.valueBytes()).isEqualTo(4 * 88);
  }
}
