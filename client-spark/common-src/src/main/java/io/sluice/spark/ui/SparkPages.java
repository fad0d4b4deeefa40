package io.sluice.spark.ui;

import org.apache.spark.SparkContext;
import org.apache.spark.status.ElementTrackingStore;

/** Joins an application's shuffles to its pages and event log. */
public final class SparkPages {
  private SparkPages() {}

  /**
   * Follows the shuffles of a running application. Called once for each.
   *
   * @return to be told of every shuffle
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
