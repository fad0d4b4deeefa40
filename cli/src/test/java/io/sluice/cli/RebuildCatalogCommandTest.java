package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.run.RunId;
import io.sluice.common.run.RunOrder;
import io.sluice.server.catalog.CatalogConfig;
import io.sluice.server.catalog.RocksCatalog;
import io.sluice.server.catalog.RunCatalog;
import io.sluice.server.catalog.RunRecord;
import io.sluice.server.catalog.Tombstone;
import io.sluice.server.disk.DirectoryConfig;
import io.sluice.server.disk.DirectoryStorage;
import io.sluice.server.disk.Fsync;
import io.sluice.server.log.ShuffleKey;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RebuildCatalogCommandTest {
  private static final RunRecord GOLDEN =
      new RunRecord(
          new RunId(0x0011223344556677L, 0x8899aabbccddeeffL),
          new ShuffleKey("app-20261121-0001", 7),
          new RunOrder(1_795_000_000_000L, 42),
          617,
          List.of(
              new RunId(0x1111111111111111L, 0x2222222222222222L),
              new RunId(0x3333333333333333L, 0x4444444444444444L)));

  @TempDir Path base;
  private byte[] golden;
  private Path run;

  @BeforeEach
  void writeGoldenRun() throws IOException {
    try (InputStream in = getClass().getResourceAsStream("/golden/run-v1.bin")) {
      golden = in.readAllBytes();
    }
    Path runs = Files.createDirectories(base.resolve("runs"));
    run = Files.write(runs.resolve(GOLDEN.id() + ".run"), golden);
  }

  private List<RunRecord> catalog() throws IOException {
    try (RunCatalog catalog =
        RocksCatalog.open(CatalogConfig.directory(base), CatalogConfig.DEFAULT)) {
      return catalog.runs();
    }
  }

  @Test
  void rebuildsALostCatalogAndKeepsRecordsOfDeletedShuffles() throws IOException {
    CliRun first = CliRun.of("admin", "rebuild-catalog", base.toString());

    assertThat(first.err()).isEmpty();
    assertThat(first.exitCode()).isZero();
    assertThat(first.out())
        .startsWith(base + ": new catalog of 1 runs, 617")
        .contains("of 1 applications; 0 files skipped;")
        .contains("deleted shuffles are unknown, because no old catalog could be read");
    assertThat(catalog()).containsExactly(GOLDEN);

    Tombstone tombstone = new Tombstone(new ShuffleKey("app-9", 3), 1234);
    try (RunCatalog catalog =
        RocksCatalog.open(CatalogConfig.directory(base), CatalogConfig.DEFAULT)) {
      catalog.remove(List.of(GOLDEN.id()));
      catalog.addTombstones(List.of(tombstone));
    }
    for (int again = 0; again < 2; again++) {
      assertThat(CliRun.of("admin", "rebuild-catalog", base.toString()).out())
          .contains("new catalog of 1 runs")
          .contains("1 records of deleted shuffles copied");
      assertThat(catalog()).containsExactly(GOLDEN);
    }
    try (RunCatalog catalog =
        RocksCatalog.open(CatalogConfig.directory(base), CatalogConfig.DEFAULT)) {
      assertThat(catalog.tombstones()).containsExactly(tombstone);
    }
  }

  @Test
  void rebuildsADamagedCatalog() throws IOException {
    assertThat(CliRun.of("admin", "rebuild-catalog", base.toString()).exitCode()).isZero();
    Files.writeString(CatalogConfig.directory(base).resolve("CURRENT"), "MANIFEST-nonsense\n");

    assertThat(CliRun.of("admin", "rebuild-catalog", base.toString()).exitCode()).isZero();
    assertThat(catalog()).containsExactly(GOLDEN);
  }

  @Test
  void skipsDamagedFilesByNameAndOffset() throws IOException {
    golden[golden.length - 70] ^= 1;
    Files.write(run, golden);
    Path other = run.resolveSibling("0123456789abcdef0123456789abcdef.run");
    Files.write(other, java.util.Arrays.copyOf(golden, 100));

    CliRun rebuilt = CliRun.of("admin", "rebuild-catalog", base.toString());

    assertThat(rebuilt.exitCode()).isZero();
    assertThat(rebuilt.out())
        .contains("new catalog of 0 runs")
        .contains("2 files skipped, which the next start of the server deletes")
        .containsPattern("skipped: run file=\\S*" + GOLDEN.id() + ".run offset=\\d+: ")
        .containsPattern("skipped: run file=\\S*" + other.getFileName() + " offset=\\d+: ");
    assertThat(catalog()).isEmpty();
  }

  @Test
  void rebuildsTheDirectoriesOfAConfigurationFile() throws IOException {
    Path file =
        Files.writeString(
            base.resolve("server.conf"),
            "rss.coordinator.quorum localhost:19999\nrss.storage.basePath " + base + ":SSD\n");

    CliRun rebuilt = CliRun.of("admin", "rebuild-catalog", "--conf", file.toString());

    assertThat(rebuilt.err()).isEmpty();
    assertThat(rebuilt.out()).startsWith(base + ": new catalog of 1 runs");
  }

  @Test
  void reportsFailuresInOneLine() throws IOException {
    CliRun none = CliRun.of("admin", "rebuild-catalog", base.resolve("none").toString());
    assertThat(none.exitCode()).isEqualTo(1);
    assertThat(none.err().lines()).hasSize(1);
    assertThat(none.err()).contains("none is not a directory of a shuffle server");

    try (DirectoryStorage taken =
        DirectoryStorage.open(
            new DirectoryConfig(base, Optional.empty(), 0, 1), Fsync.NEVER, "a server")) {
      CliRun refused = CliRun.of("admin", "rebuild-catalog", taken.name());
      assertThat(refused.exitCode()).isEqualTo(1);
      assertThat(refused.err().lines()).hasSize(1);
      assertThat(refused.err()).contains("a server");
    }
    assertThat(CatalogConfig.directory(base)).doesNotExist();

    assertThat(CliRun.of("admin", "rebuild-catalog").exitCode()).isEqualTo(2);
  }
}
