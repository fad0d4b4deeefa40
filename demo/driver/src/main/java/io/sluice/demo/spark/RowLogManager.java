package io.sluice.demo.spark;

import java.lang.reflect.Field;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.ShuffleDependency;
import org.apache.spark.SparkConf;
import org.apache.spark.serializer.Serializer;
import org.apache.spark.shuffle.ShuffleHandle;
import org.apache.spark.shuffle.sort.SortShuffleManager;

/**
 * Spark's built-in shuffle, which also notes the number of fields of the rows of each shuffle. Only
 * shuffles of SQL have one.
 */
public final class RowLogManager extends SortShuffleManager {
  private final Map<Integer, Integer> fields = new TreeMap<>();

  /** Called by Spark. */
  public RowLogManager(SparkConf conf) {
    super(conf);
  }

  @Override
  public synchronized <K, V, C> ShuffleHandle registerShuffle(
      int shuffleId, ShuffleDependency<K, V, C> dependency) {
    Serializer serializer = dependency.serializer();
    if (serializer.getClass().getSimpleName().equals("UnsafeRowSerializer")) {
      fields.put(shuffleId, fieldsOf(serializer));
    }
    return super.registerShuffle(shuffleId, dependency);
  }

  private static int fieldsOf(Serializer serializer) {
    try {
      Field field = serializer.getClass().getDeclaredField("numFields");
      field.setAccessible(true);
      return field.getInt(serializer);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this Spark has another UnsafeRowSerializer", e);
    }
  }

  /** Removes and returns the numbers of fields by shuffle, of the shuffles since the last call. */
  synchronized Map<Integer, Integer> takeFields() {
    Map<Integer, Integer> taken = new TreeMap<>(fields);
    fields.clear();
    return taken;
  }
}
