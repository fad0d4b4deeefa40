package io.sluice.spark.ui;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.status.ElementTrackingStore;
import org.apache.spark.util.kvstore.KVStore;
import org.apache.spark.util.kvstore.KVStoreIterator;

/** Stores the newest state of every shuffle in Spark's status store. */
public final class ShuffleRows extends SparkListener {
  private final ElementTrackingStore store;

  /**
   * @param store borrows
   */
  public ShuffleRows(ElementTrackingStore store) {
    this.store = store;
  }

  @Override
  public void onOtherEvent(SparkListenerEvent event) {
    if (event instanceof ShuffleState state) {
      store.write(state);
    }
  }

  /** The shuffle states in a store, ordered by shuffle id. */
  public static List<ShuffleState> of(KVStore store) {
    List<ShuffleState> rows = new ArrayList<>();
    try (KVStoreIterator<ShuffleState> each = store.view(ShuffleState.class).closeableIterator()) {
      while (each.hasNext()) {
        rows.add(each.next());
      }
    } catch (Exception e) {
      // The store declares no narrower exception.
      throw new IllegalStateException("cannot read Spark's status store: " + e.getMessage(), e);
    }
    return rows;
  }
}
