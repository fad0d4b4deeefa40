package io.sluice.coordinator.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ShuffleLedgerTest {
  private final ShuffleLedger ledger = new ShuffleLedger(3);

  private void assigned(String application, int shuffle, Map<String, Integer> servers) {
    ledger.assigned(application, shuffle, 10, 1, servers, Instant.ofEpochSecond(1000));
  }

  @Test
  void returnsTheServersOfAShuffle() {
    assigned("app", 0, Map.of("a:1", 6, "b:1", 4));

    assertThat(ledger.of("app"))
        .containsExactly(
            new AssignedShuffle(
                "app", 0, 10, 1, Map.of("a:1", 6, "b:1", 4), 1, Instant.ofEpochSecond(1000)));
    assertThat(ledger.partitionsAssignedTo("a:1")).isEqualTo(6);
  }

  @Test
  void addsServersOfLaterAssignments() {
    assigned("app", 0, Map.of("a:1", 10));
    assigned("app", 0, Map.of("b:1", 3));

    assertThat(ledger.of("app")).hasSize(1);
    assertThat(ledger.of("app").get(0).partitionsByServer()).isEqualTo(Map.of("a:1", 10, "b:1", 3));
    assertThat(ledger.of("app").get(0).assignments()).isEqualTo(2);
  }

  @Test
  void dropsTheOldestShuffles() {
    for (int shuffle = 0; shuffle < 5; shuffle++) {
      assigned("app", shuffle, Map.of("a:1", 10));
    }

    assertThat(ledger.of("app")).extracting(AssignedShuffle::shuffle).containsExactly(2, 3, 4);
    assertThat(ledger.partitionsAssignedTo("a:1")).isEqualTo(50);
  }

  @Test
  void removesAnEndedApplication() {
    assigned("ended", 0, Map.of("a:1", 10));
    assigned("live", 0, Map.of("a:1", 10));

    ledger.forgetApplication("ended");

    assertThat(ledger.of("ended")).isEmpty();
    assertThat(ledger.of("live")).hasSize(1);
    // Removed entries free capacity for others.
    assigned("live", 1, Map.of("a:1", 10));
    assigned("live", 2, Map.of("a:1", 10));
    assertThat(ledger.of("live")).hasSize(3);
  }

  @Test
  void removesAForgottenServer() {
    assigned("app", 0, Map.of("a:1", 10));

    ledger.forgetServer("a:1");

    assertThat(ledger.partitionsAssignedTo("a:1")).isZero();
  }
}
