package io.sluice.client.background;

import io.sluice.client.push.PushConfig;

/**
 * How finished outputs are pushed behind their tasks.
 *
 * @param push with short patience: what fails is read from the file
 * @param threads that push, for the whole process
 * @param maxWaiting outputs that wait for a thread; what comes then is not pushed
 * @param skipPartitionBytes larger partitions of one output are not pushed
 */
public record BackgroundConfig(
    PushConfig push, int threads, int maxWaiting, long skipPartitionBytes) {
  public BackgroundConfig {
    if (threads < 1 || maxWaiting < 1 || skipPartitionBytes < 1) {
      throw new IllegalArgumentException(
          "background push: expected numbers from 1, found threads="
              + threads
              + " maxWaiting="
              + maxWaiting
              + " skipPartitionBytes="
              + skipPartitionBytes);
    }
  }
}
