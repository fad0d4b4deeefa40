package io.sluice.server.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.run.RunId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

class RocksCatalogTest extends RunCatalogContract {
  @TempDir Path base;

  @Override
  RunCatalog open() throws IOException {
    return RocksCatalog.open(directory(), new CatalogConfig(false, MAX_TOMBSTONES));
  }

  private Path directory() {
    return base.resolve("catalog");
  }

  @Test
  void changesSurviveAKillOfTheProcess() throws IOException {
    catalog.add(run(1, 7));
    catalog.add(run(2, 7, id(1)));
    catalog.addTombstones(List.of(tombstone(9, 900)));
    // A killed process leaves the files as they are now, open or not.
    Path copy = copyOf(directory());
    try (RunCatalog next = RocksCatalog.open(copy, CatalogConfig.DEFAULT)) {
      assertThat(next.runs()).containsExactlyInAnyOrder(run(1, 7), run(2, 7, id(1)));
      assertThat(next.tombstones()).containsExactly(tombstone(9, 900));
    }
  }

  @Test
  void syncedChangesAndAllBeforeATearSurvive() throws IOException {
    for (int i = 0; i < 10; i++) {
      catalog.add(run(i, 7));
    }
    Path copy = copyOf(directory());
    Path log;
    try (Stream<Path> files = Files.list(copy)) {
      log = files.filter(file -> file.toString().endsWith(".log")).findFirst().orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(log);
    Files.write(log, java.util.Arrays.copyOf(bytes, bytes.length - 20));
    try (RunCatalog next = RocksCatalog.open(copy, CatalogConfig.DEFAULT)) {
      assertThat(next.runs())
          .containsExactlyInAnyOrder(
              Stream.iterate(0, i -> i + 1).limit(9).map(i -> run(i, 7)).toArray(RunRecord[]::new));
    }
  }

  @Test
  void refusesAVersionThatItDoesNotKnowAndAForeignStore() throws IOException, RocksDBException {
    catalog.close();
    byte[] later = CatalogFormat.format();
    later[4] = 9;
    put(CatalogFormat.formatKey(), later);
    assertThatThrownBy(this::open)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(directory().toString())
        .hasMessageContaining("expected version 1, found 9");
    put(CatalogFormat.formatKey(), new byte[] {1});
    assertThatThrownBy(this::open).hasMessageContaining("is not a catalog of run files");
    put(CatalogFormat.formatKey(), CatalogFormat.format());
    catalog = open();
  }

  @Test
  void namesAnInvalidRecord() throws IOException, RocksDBException {
    catalog.add(run(1, 7));
    catalog.close();
    byte[] value = CatalogFormat.encode(run(1, 7));
    value[6] = 1;
    put(CatalogFormat.runKey(id(1)), value);
    catalog = open();
    assertThatThrownBy(() -> catalog.runs())
        .isInstanceOf(IOException.class)
        .hasMessageContaining(id(1).toString());
  }

  @Test
  void refusesADamagedCatalog() throws IOException {
    catalog.close();
    Files.writeString(directory().resolve("CURRENT"), "MANIFEST-nonsense\n");
    assertThatThrownBy(this::open)
        .isInstanceOf(IOException.class)
        .hasMessageContaining(directory().toString());
  }

  @Test
  void reopensAfterAFailureButNeverAsAnEmptyCatalog() throws IOException {
    catalog.add(run(1, 7));
    Path copy = copyOf(directory());
    deleteTree(directory());
    assertThatThrownBy(this::addUntilATableIsWritten).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> catalog.add(run(2, 7)))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("directory does not exist");
    assertThat(directory()).doesNotExist();

    Files.move(copy, directory());
    catalog.add(run(2, 7));
    assertThat(catalog.runs()).containsExactlyInAnyOrder(run(1, 7), run(2, 7));
  }

  /** Records of 16 KiB: the first table is written after some 60 of them. */
  private void addUntilATableIsWritten() throws IOException {
    RunId[] replaced = new RunId[1000];
    java.util.Arrays.setAll(replaced, i -> id(1_000_000 + i));
    for (int i = 0; i < 100_000; i++) {
      catalog.add(run(i, 8, replaced));
    }
  }

  private static void deleteTree(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }

  @Test
  void detectsACatalogInADirectory() throws IOException {
    assertThat(RocksCatalog.isThere(directory())).isTrue();
    assertThat(RocksCatalog.isThere(base)).isFalse();
  }

  @Test
  void refusesCallsOnceClosed() throws IOException {
    catalog.close();
    catalog.close();
    assertThatThrownBy(() -> catalog.runs())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("is closed");
  }

  private void put(byte[] key, byte[] value) throws RocksDBException {
    try (Options options = new Options();
        RocksDB db = RocksDB.open(options, directory().toString())) {
      db.put(key, value);
    }
  }

  private Path copyOf(Path source) throws IOException {
    Path copy = Files.createDirectory(base.resolve("copy"));
    try (Stream<Path> files = Files.list(source)) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return copy;
  }
}
