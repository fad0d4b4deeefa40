package io.sluice.spark.ui;

import org.apache.spark.SparkConf;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.status.AppHistoryServerPlugin;
import org.apache.spark.status.ElementTrackingStore;
import org.apache.spark.ui.SparkUI;
import scala.collection.immutable.Seq;

/**
 * History server plugin, loaded if the jar is on the class path: reads shuffle states from event
 * logs and adds the Sluice tab to applications that have any.
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
