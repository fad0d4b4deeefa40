package io.sluice.server.model;

import io.sluice.server.log.BlockBytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The blocks that attempts push: the same ones whenever an attempt repeats a push. */
final class RandomBlocks {
  static final int PARTITIONS = 6;
  private static final int ATTEMPTS = 12;

  private final Random random;
  private final int largestPayload;

  // All blocks of each attempt for each partition of each shuffle.
  private final Map<String, List<ModelBlock>> blocks = new HashMap<>();

  RandomBlocks(Random random, int largestPayload) {
    this.random = random;
    this.largestPayload = largestPayload;
  }

  /** Some blocks of one attempt and partition, in any order, some of them perhaps twice. */
  void addTo(List<ModelBlock> pushed, int shuffle) {
    int attempt = random.nextInt(ATTEMPTS);
    int partition = random.nextInt(PARTITIONS);
    List<ModelBlock> all =
        blocks.computeIfAbsent(
            shuffle + "/" + attempt + "/" + partition, unused -> makeBlocks(attempt, partition));
    List<Integer> chosen = new ArrayList<>();
    if (random.nextBoolean()) {
      for (int i = 0; i < all.size(); i++) {
        chosen.add(i);
      }
    }
    if (random.nextBoolean()) {
      chosen.add(random.nextInt(all.size()));
      Collections.shuffle(chosen, random);
    }
    chosen.forEach(sequence -> pushed.add(all.get(sequence)));
  }

  private List<ModelBlock> makeBlocks(int attempt, int partition) {
    List<ModelBlock> made = new ArrayList<>();
    int count = 1 + random.nextInt(4);
    for (int i = 0; i < count; i++) {
      boolean last = i == count - 1;
      int length = random.nextInt(1 + random.nextInt(largestPayload)) + (last ? 0 : 1);
      byte[] bytes =
          BlockBytes.block(
              attempt, attempt % 7, partition, i, last, BlockBytes.payload(random, length));
      made.add(new ModelBlock(attempt, partition, i, count, bytes));
    }
    return made;
  }
}
