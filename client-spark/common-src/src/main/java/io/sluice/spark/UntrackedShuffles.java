package io.sluice.spark;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.apache.spark.Success$;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import scala.Option;

/**
 * Driver: lets dynamic allocation release idle executors whose map output is on shuffle servers.
 *
 * <p>Spark's shuffle tracking keeps every executor that ran a map task until the shuffle is cleaned
 * up. Shuffles that use the built-in shuffle need this. For all other shuffles this listener ends
 * the tracking after each map task, as if the shuffle had been cleaned up.
 *
 * <p>Runs in Spark's executor management queue, after the executor monitor, so the monitor has
 * processed a task's end before this listener ends the tracking.
 */
public final class UntrackedShuffles extends SparkListener {
  private final Supplier<Collection<Integer>> shuffles;
  private final IntConsumer endTracking;
  private final Map<Integer, Integer> shuffleOfStage = new HashMap<>();

  /**
   * @param shuffles supplies the shuffles that use servers now
   * @param endTracking ends the tracking of a shuffle
   */
  public UntrackedShuffles(Supplier<Collection<Integer>> shuffles, IntConsumer endTracking) {
    this.shuffles = shuffles;
    this.endTracking = endTracking;
  }

  @Override
  public void onStageSubmitted(SparkListenerStageSubmitted submitted) {
    Option<Object> written = submitted.stageInfo().shuffleDepId();
    if (written.isEmpty()) {
      return;
    }
    Collection<Integer> atServers = shuffles.get();
    shuffleOfStage.values().retainAll(atServers);
    int shuffle = (Integer) written.get();
    if (atServers.contains(shuffle)) {
      shuffleOfStage.put(submitted.stageInfo().stageId(), shuffle);
    }
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd end) {
    Integer shuffle = shuffleOfStage.get(end.stageId());
    if (shuffle != null && end.reason() == Success$.MODULE$) {
      endTracking.accept(shuffle);
    }
  }
}
