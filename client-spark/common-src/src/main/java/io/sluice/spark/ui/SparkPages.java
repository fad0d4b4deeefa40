package io.sluice.spark.ui;

import org.apache.spark.SparkContext;
import org.apache.spark.status.ElementTrackingStore;

/** Adds an application's shuffles to its web UI and event log. */
public final class SparkPages {
  private SparkPages() {}

  /**
   * Starts to report the shuffles of a running application. Called once per application.
   *
   * @return must be notified of every shuffle
   */
  public static ShuffleStates follow(SparkContext context, ShuffleStates.Newest newest) {
    ShuffleStates states = new ShuffleStates(newest, context.listenerBus()::post, System::nanoTime);
    context.addSparkListener(states);
    if (context.ui().isDefined()
        && context.statusStore().store() instanceof ElementTrackingStore store) {
      context.listenerBus().addToStatusQueue(new ShuffleRows(store));
      SluiceTab.attach(context.ui().get());
    }
    return states;
  }
}
