package org.apache.hadoop.mapreduce.task.reduce;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.mr.AssignmentVariable;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapred.ShuffleConsumerPlugin;

/**
 * The reduce side of the plugin: {@code mapreduce.job.reduce.shuffle.consumer.plugin.class}.
 * Without an assignment from the application master, and with the local job runner, it delegates to
 * Hadoop's built-in shuffle.
 */
public final class RssShuffle<K, V> implements ShuffleConsumerPlugin<K, V> {
  private ShuffleConsumerPlugin<K, V> shuffle;

  /** Called by Hadoop. */
  public RssShuffle() {}

  @Override
  public void init(Context<K, V> context) {
    Optional<ShuffleAssignment> assignment =
        context.getLocalMapFiles() == null ? assignment() : Optional.empty();
    shuffle = assignment.isPresent() ? new SluiceShuffle<>(assignment.get()) : new Shuffle<K, V>();
    shuffle.init(context);
  }

  private static Optional<ShuffleAssignment> assignment() {
    try {
      return AssignmentVariable.from(System.getenv());
    } catch (IOException e) {
      throw new IllegalStateException(
          "cannot read the assignment of this reduce task: " + e.getMessage(), e);
    }
  }

  @Override
  public RawKeyValueIterator run() throws IOException, InterruptedException {
    return shuffle.run();
  }

  @Override
  public void close() {
    shuffle.close();
  }
}
