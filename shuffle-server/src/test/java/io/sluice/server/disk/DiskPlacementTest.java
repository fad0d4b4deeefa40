package io.sluice.server.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.disk.DiskPlacement.PlacementCandidate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DiskPlacementTest {
  private final DiskPlacement<String> placement = new DiskPlacement<>();

  @Test
  void prefersAnSsdAndUsesAnHddIfNoSsdHasSpace() {
    assertThat(choose(true, idle("hdd", StorageKind.HDD), idle("ssd", StorageKind.SSD)))
        .isEqualTo("ssd");
    assertThat(choose(false, idle("hdd", StorageKind.HDD))).isEqualTo("hdd");
    assertThat(choose(true)).isNull();
  }

  @Test
  void waitsForABusySsdUnlessMemoryIsTight() {
    PlacementCandidate<String> busy =
        new PlacementCandidate<>("ssd", StorageKind.SSD, 100, 1, false, false);
    assertThat(choose(false, busy, idle("hdd", StorageKind.HDD))).isNull();
    assertThat(choose(true, busy, idle("hdd", StorageKind.HDD))).isEqualTo("hdd");
    assertThat(choose(true, busy)).isNull();
  }

  @Test
  void choosesADoubtfulDiskLast() {
    PlacementCandidate<String> doubtful =
        new PlacementCandidate<>("ssd", StorageKind.SSD, 100, 0, true, true);
    assertThat(choose(true, doubtful, idle("hdd", StorageKind.HDD))).isEqualTo("hdd");
    PlacementCandidate<String> busy =
        new PlacementCandidate<>("hdd", StorageKind.HDD, 100, 1, false, false);
    assertThat(choose(false, doubtful, busy)).isNull();
    assertThat(choose(true, doubtful, busy)).isEqualTo("ssd");
  }

  @Test
  void disksOfAKindShareByFreeSpace() {
    Map<String, Integer> shares = new HashMap<>();
    for (int i = 0; i < 700; i++) {
      String chosen =
          choose(
              true,
              new PlacementCandidate<>("four", StorageKind.HDD, 4000, 0, true, false),
              new PlacementCandidate<>("two", StorageKind.HDD, 2000, 0, true, false),
              new PlacementCandidate<>("one", StorageKind.HDD, 1000, 0, true, false));
      shares.merge(chosen, 1, Integer::sum);
    }
    assertThat(shares.get("four")).isBetween(395, 405);
    assertThat(shares.get("two")).isBetween(195, 205);
    assertThat(shares.get("one")).isBetween(95, 105);
  }

  @Test
  void queueDepthReducesTheShareOfADisk() {
    Map<String, Integer> shares = new HashMap<>();
    for (int i = 0; i < 400; i++) {
      String chosen =
          choose(
              true,
              new PlacementCandidate<>("merging", StorageKind.HDD, 1000, 2, true, false),
              new PlacementCandidate<>("free", StorageKind.HDD, 1000, 0, true, false));
      shares.merge(chosen, 1, Integer::sum);
    }
    assertThat(shares.get("merging")).isBetween(95, 105);
  }

  @Test
  void aDiskThatReturnsDoesNotGetAllRuns() {
    for (int i = 0; i < 1000; i++) {
      choose(true, idle("here", StorageKind.SSD));
    }
    int back = 0;
    for (int i = 0; i < 10; i++) {
      String chosen = choose(true, idle("here", StorageKind.SSD), idle("back", StorageKind.SSD));
      back += chosen.equals("back") ? 1 : 0;
    }
    assertThat(back).isBetween(4, 6);
  }

  @SafeVarargs
  @SuppressWarnings("varargs")
  private String choose(boolean urgent, PlacementCandidate<String>... candidates) {
    return placement.choose(List.of(candidates), 10, urgent);
  }

  private static PlacementCandidate<String> idle(String name, StorageKind kind) {
    return new PlacementCandidate<>(name, kind, 100, 0, true, false);
  }
}
