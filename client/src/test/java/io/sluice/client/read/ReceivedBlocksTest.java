package io.sluice.client.read;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ReceivedBlocksTest {
  @Test
  void agreesWithAModelInAnyOrderOfArrival() {
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      int attempts = 1 + random.nextInt(3);
      ReceivedBlocks received = new ReceivedBlocks(attempts);
      List<int[]> arrivals = new ArrayList<>();
      int[] lasts = random.ints(attempts, 0, 60).toArray();
      for (int attemptIndex = 0; attemptIndex < attempts; attemptIndex++) {
        for (int sequence = 0; sequence <= lasts[attemptIndex]; sequence++) {
          arrivals.add(new int[] {attemptIndex, sequence});
        }
      }
      Collections.shuffle(arrivals, random);
      Set<List<Integer>> model = new HashSet<>();
      for (int[] arrival : arrivals) {
        int attemptIndex = arrival[0];
        int sequence = arrival[1];
        assertThat(received.isWhole()).as("seed %d", seed).isFalse();
        assertThat(received.isWhole(attemptIndex)).isFalse();
        assertThat(received.has(attemptIndex, sequence)).isFalse();
        received.add(attemptIndex, sequence, sequence == lasts[attemptIndex]);
        model.add(List.of(attemptIndex, sequence));
        int next = 0;
        while (model.contains(List.of(attemptIndex, next))) {
          next++;
        }
        assertThat(received.next(attemptIndex)).isEqualTo(next);
        assertThat(received.hasNone(attemptIndex)).isFalse();
        assertThat(received.isWhole(attemptIndex)).isEqualTo(next == lasts[attemptIndex] + 1);
        int probe = random.nextInt(lasts[attemptIndex] + 1);
        assertThat(received.has(attemptIndex, probe))
            .isEqualTo(model.contains(List.of(attemptIndex, probe)));
      }
      assertThat(received.isWhole()).isTrue();
    }
  }

  @Test
  void ignoresBlocksAfterTheLastOne() {
    ReceivedBlocks received = new ReceivedBlocks(1);
    received.add(0, 3, true);
    assertThat(received.has(0, 4)).isTrue();
    assertThat(received.has(0, 2)).isFalse();
    assertThat(received.isWhole()).isFalse();
  }

  @Test
  void usesLittleMemoryWhileABlockIsMissing() {
    ReceivedBlocks received = new ReceivedBlocks(1);
    for (int sequence = 1; sequence < 1_000_000; sequence++) {
      received.add(0, sequence, false);
    }
    assertThat(received.next(0)).isZero();
    received.add(0, 1_000_000, true);
    received.add(0, 0, false);
    assertThat(received.next(0)).isEqualTo(1_000_001);
    assertThat(received.isWhole()).isTrue();
  }
}
