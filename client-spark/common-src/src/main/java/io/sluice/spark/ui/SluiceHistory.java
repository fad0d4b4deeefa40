package io.sluice.spark.ui;

import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.status.AppHistoryServerPlugin;
import org.apache.spark.status.ElementTrackingStore;
import org.apache.spark.ui.SparkUI;
import scala.collection.immutable.Seq;

/**
 * Found by the history server, if the jar is on its class path: makes rows of an event log, and
 * adds the tab where there are any.
 */
public final class SluiceHistory implements AppHistoryServerPlugin {
  @Override
  public Seq<SparkListener> createListeners(SparkConf conf, ElementTrackingStore store) {
    return PageFrame.listOf(new ShuffleRows(store));
  }

  @Override
  public void setupUI(SparkUI ui) {
    if (!ShuffleRows.of(ui.store().store()).isEmpty()) {
      SluiceTab.attach(ui);
    }
  }
}
