package io.sluice.spark.write;

import io.sluice.client.push.RowBlocks;
import java.lang.reflect.Field;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.serializer.Serializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the shuffles whose records are rows of Spark SQL, which can be encoded, by the serializer.
 * Keeps one {@link RowBlocks} for each, so that tasks share their samples. Thread-safe.
 */
public final class ShuffleRows {
  private static final Logger LOG = LoggerFactory.getLogger(ShuffleRows.class);

  /** Not public in Spark. Its streams have nothing but rows in UnsafeRow format. */
  private static final String ROW_SERIALIZER = "org.apache.spark.sql.execution.UnsafeRowSerializer";

  private static final String FIELDS = "numFields";

  private final boolean enabled;
  private final Map<Integer, RowBlocks> shuffles = new ConcurrentHashMap<>();

  /**
   * @param enabled whether rows are encoded at all
   */
  public ShuffleRows(boolean enabled) {
    this.enabled = enabled;
  }

  /** The rows of a shuffle; null if its records are no rows or are not encoded. */
  public RowBlocks of(int shuffleId, Serializer serializer) {
    if (!enabled) {
      return null;
    }
    RowBlocks known = shuffles.get(shuffleId);
    if (known != null) {
      return known;
    }
    OptionalInt fields = fields(serializer);
    return fields.isPresent() && RowBlocks.isSupported(fields.getAsInt())
        ? shuffles.computeIfAbsent(shuffleId, id -> new RowBlocks(fields.getAsInt()))
        : null;
  }

  /** Number of fields of the rows; empty if the serializer is not the one of rows. */
  static OptionalInt fields(Serializer serializer) {
    if (!serializer.getClass().getName().equals(ROW_SERIALIZER)) {
      return OptionalInt.empty();
    }
    try {
      Field field = serializer.getClass().getDeclaredField(FIELDS);
      field.setAccessible(true);
      return OptionalInt.of(field.getInt(serializer));
    } catch (ReflectiveOperationException | RuntimeException e) {
      LOG.debug("row planes are not used: {} has no field {}", ROW_SERIALIZER, FIELDS, e);
      return OptionalInt.empty();
    }
  }

  /** Frees the samples of a shuffle that has ended. */
  public void forget(int shuffleId) {
    shuffles.remove(shuffleId);
  }
}
