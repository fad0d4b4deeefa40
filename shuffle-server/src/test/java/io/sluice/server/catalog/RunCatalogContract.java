package io.sluice.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.run.RunId;
import io.sluice.common.run.RunOrder;
import io.sluice.server.log.ShuffleKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Contract of every catalog implementation. */
abstract class RunCatalogContract {
  static final int MAX_TOMBSTONES = 3;

  RunCatalog catalog;

  /** Opens a catalog with the records of earlier catalogs of this test. */
  abstract RunCatalog open() throws IOException;

  @BeforeEach
  void begin() throws IOException {
    catalog = open();
  }

  @AfterEach
  void end() throws IOException {
    catalog.close();
  }

  private void reopen() throws IOException {
    catalog.close();
    catalog = open();
  }

  @Test
  void isEmptyAtFirst() throws IOException {
    assertThat(catalog.runs()).isEmpty();
    assertThat(catalog.tombstones()).isEmpty();
    assertThat(catalog.lastCleanStop()).isEmpty();
  }

  @Test
  void returnsAddedRuns() throws IOException {
    RunRecord first = run(1, 7);
    RunRecord second =
        new RunRecord(
            new RunId(-1, Long.MIN_VALUE),
            new ShuffleKey("a".repeat(256), Integer.MAX_VALUE),
            new RunOrder(Long.MAX_VALUE, 0),
            Long.MAX_VALUE,
            List.of(new RunId(5, 6), new RunId(0, 0)));
    catalog.add(first);
    catalog.add(second);
    catalog.add(second);
    reopen();
    assertThat(catalog.runs()).containsExactlyInAnyOrder(first, second);
  }

  @Test
  void keepsTheRunsThatAnAddedOneReplacesUntilTheyAreRemoved() throws IOException {
    catalog.add(run(1, 7));
    catalog.add(run(2, 7));
    catalog.add(run(3, 7));
    RunRecord merged = run(4, 7, id(1), id(2), id(99));
    catalog.add(merged);
    reopen();
    assertThat(catalog.runs()).hasSize(4);
    catalog.remove(merged.replaces());
    assertThat(catalog.runs()).containsExactlyInAnyOrder(run(3, 7), merged);
  }

  @Test
  void removesExistingRuns() throws IOException {
    catalog.add(run(1, 7));
    catalog.add(run(2, 7));
    catalog.remove(List.of(id(1), id(50)));
    catalog.remove(List.of());
    reopen();
    assertThat(catalog.runs()).containsExactly(run(2, 7));
  }

  @Test
  void storesTheDamageOfARunUntilItIsRemoved() throws IOException {
    catalog.add(run(1, 7));
    catalog.add(run(2, 7));
    catalog.recordDamage(id(1), new TreeMap<>(Map.of(5L, 100)));
    catalog.recordDamage(id(1), new TreeMap<>(Map.of(5L, 100, Long.MAX_VALUE, 1)));
    catalog.recordDamage(id(2), new TreeMap<>(Map.of(0L, Integer.MAX_VALUE)));
    reopen();
    assertThat(catalog.damage())
        .isEqualTo(
            Map.of(
                id(1),
                new TreeMap<>(Map.of(5L, 100, Long.MAX_VALUE, 1)),
                id(2),
                new TreeMap<>(Map.of(0L, Integer.MAX_VALUE))));
    assertThat(catalog.runs()).containsExactlyInAnyOrder(run(1, 7), run(2, 7));
    catalog.remove(List.of(id(1)));
    reopen();
    assertThat(catalog.damage().keySet()).containsExactly(id(2));
  }

  @Test
  void dropsTheOldestTombstonesAboveTheMaximum() throws IOException {
    catalog.addTombstones(List.of(tombstone(3, 300), tombstone(1, 100)));
    reopen();
    catalog.addTombstones(List.of(tombstone(2, 200)));
    assertThat(catalog.tombstones())
        .containsExactlyInAnyOrder(tombstone(1, 100), tombstone(2, 200), tombstone(3, 300));
    catalog.addTombstones(List.of(tombstone(4, 400)));
    reopen();
    catalog.addTombstones(List.of(tombstone(5, 500)));
    assertThat(catalog.tombstones())
        .containsExactlyInAnyOrder(tombstone(3, 300), tombstone(4, 400), tombstone(5, 500));
    catalog.addTombstones(List.of(tombstone(6, 600), tombstone(7, 700), tombstone(8, 800)));
    assertThat(catalog.tombstones())
        .containsExactlyInAnyOrder(tombstone(6, 600), tombstone(7, 700), tombstone(8, 800));
    catalog.addTombstones(List.of(tombstone(9, 900)));
    assertThat(catalog.tombstones())
        .as("one is dropped for one")
        .containsExactlyInAnyOrder(tombstone(7, 700), tombstone(8, 800), tombstone(9, 900));
  }

  @Test
  void theLaterTombstoneOfAShuffleCounts() throws IOException {
    catalog.addTombstones(List.of(tombstone(1, 100)));
    catalog.addTombstones(List.of(tombstone(1, 900)));
    reopen();
    assertThat(catalog.tombstones()).containsExactly(tombstone(1, 900));
  }

  @Test
  void storesTheLastCleanStopOnly() throws IOException {
    catalog.recordCleanStop(new CleanStop(10, 5, 2));
    catalog.recordCleanStop(new CleanStop(20, 20, 1));
    catalog.sync();
    reopen();
    assertThat(catalog.lastCleanStop()).contains(new CleanStop(20, 20, 1));
  }

  @Test
  void aRandomHistoryAgreesWithASimpleModel() throws IOException {
    long seed = 20261121;
    Random random = new Random(seed);
    Map<RunId, RunRecord> model = new HashMap<>();
    for (int step = 0; step < 3000; step++) {
      List<RunId> known = new ArrayList<>(model.keySet());
      switch (random.nextInt(10)) {
        case 0 -> {
          List<RunId> gone = some(known, random);
          catalog.remove(gone);
          gone.forEach(model::remove);
        }
        case 1 -> {
          RunRecord merged = run(step, step % 5, some(known, random).toArray(new RunId[0]));
          catalog.add(merged);
          model.put(merged.id(), merged);
        }
        case 2 -> {
          if (random.nextInt(20) == 0) {
            reopen();
          }
        }
        default -> {
          RunRecord added = run(step, step % 5);
          catalog.add(added);
          model.put(added.id(), added);
        }
      }
    }
    assertThat(catalog.runs()).as("seed %d", seed).hasSameElementsAs(model.values());
  }

  private static List<RunId> some(List<RunId> known, Random random) {
    List<RunId> some = new ArrayList<>();
    for (int i = random.nextInt(8); i > 0 && !known.isEmpty(); i--) {
      RunId id = known.get(random.nextInt(known.size()));
      if (!some.contains(id)) {
        some.add(id);
      }
    }
    return some;
  }

  static RunId id(int number) {
    return new RunId(number, ~number);
  }

  static RunRecord run(int number, int shuffle, RunId... replaced) {
    return new RunRecord(
        id(number),
        new ShuffleKey("app-1", shuffle),
        new RunOrder(1000, number),
        100 + number,
        List.of(replaced));
  }

  static Tombstone tombstone(int shuffle, long deletedAtMs) {
    return new Tombstone(new ShuffleKey("app-1", shuffle), deletedAtMs);
  }
}
