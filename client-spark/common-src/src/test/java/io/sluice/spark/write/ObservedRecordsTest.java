package io.sluice.spark.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.spark.compat.RowObserver;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.HashPartitioner;
import org.junit.jupiter.api.Test;
import scala.Product2;
import scala.Tuple2;
import scala.collection.AbstractIterator;

class ObservedRecordsTest {
  @Test
  void passesEachRecordOnceToObserverAndWriter() {
    List<Tuple2<Integer, String>> source =
        List.of(new Tuple2<>(1, "a"), new Tuple2<>(5, "b"), new Tuple2<>(2, "c"));
    List<String> seen = new ArrayList<>();
    RowObserver observer =
        new RowObserver() {
          @Override
          public void add(int partition, Object key, Object value) {
            seen.add(partition + ":" + key + value);
          }

          @Override
          public long checksum() {
            return seen.size();
          }
        };
    Iterator<Tuple2<Integer, String>> records = source.iterator();
    ObservedRecords<Integer, String> observed =
        new ObservedRecords<>(
            new AbstractIterator<>() {
              @Override
              public boolean hasNext() {
                return records.hasNext();
              }

              @Override
              public Product2<Integer, String> next() {
                return records.next();
              }
            },
            new HashPartitioner(4),
            observer);

    List<Product2<Integer, String>> passed = new ArrayList<>();
    while (observed.hasNext()) {
      passed.add(observed.next());
    }

    assertThat(passed).containsExactlyElementsOf(source);
    assertThat(seen).containsExactly("1:1a", "1:5b", "2:2c");
  }
}
