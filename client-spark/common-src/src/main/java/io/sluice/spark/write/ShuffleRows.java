package io.sluice.spark.write;

import io.sluice.client.push.RowBlocks;
import io.sluice.spark.RowSerializer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.serializer.Serializer;

/**
 * Finds the shuffles whose records are rows of Spark SQL, which can be encoded, by the serializer.
 * Keeps one {@link RowBlocks} for each, so that tasks share their samples. Thread-safe.
 */
public final class ShuffleRows {
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
    return RowSerializer.of(serializer)
        .map(RowSerializer::fields)
        .filter(RowBlocks::isSupported)
        .map(fields -> shuffles.computeIfAbsent(shuffleId, id -> new RowBlocks(fields)))
        .orElse(null);
  }

  /** Frees the samples of a shuffle that has ended. */
  public void forget(int shuffleId) {
    shuffles.remove(shuffleId);
  }
}
