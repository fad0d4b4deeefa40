package io.sluice.coordinator.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** {@link MetadataLogContract}, and tests with damaged directories. */
class RocksMetadataLogTest extends MetadataLogContract {
  @TempDir Path temporary;

  private Path directory() {
    return temporary.resolve("deep").resolve("log");
  }

  @Override
  MetadataLog open() throws IOException {
    return RocksMetadataLog.open(directory());
  }

  private List<Path> files(String suffix) throws IOException {
    try (Stream<Path> files = Files.list(directory())) {
      return files
          .filter(file -> file.toString().endsWith(suffix))
          .sorted(Comparator.comparing(Path::toString))
          .toList();
    }
  }

  /** RocksDB's log with something in it. */
  private Path writtenLog() throws IOException {
    Path largest = null;
    for (Path file : files(".log")) {
      largest = largest == null || Files.size(file) > Files.size(largest) ? file : largest;
    }
    assertThat(Files.size(largest)).isPositive();
    return largest;
  }

  /** Copies the directory while the log is open, as after a crash. */
  private Path crashed() throws IOException {
    Path copy = temporary.resolve("crashed");
    Files.createDirectories(copy);
    for (Path file : files("")) {
      Files.copy(file, copy.resolve(file.getFileName()));
    }
    return copy;
  }

  private static Path logOf(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.toString().endsWith(".log"))
          .max(Comparator.comparing(file -> file.toFile().length()))
          .orElseThrow();
    }
  }

  private static MetadataLog.Contents contents(Path directory) throws IOException {
    try (RocksMetadataLog log = RocksMetadataLog.open(directory)) {
      return log.read();
    }
  }

  private static void truncate(Path file, long length) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(length);
    }
  }

  private static void flip(Path file, long at) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, at);
      one.put(0, (byte) ~one.get(0)).rewind();
      channel.write(one, at);
    }
  }

  private static void assertDamaged(Path directory) {
    assertThatThrownBy(() -> contents(directory))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(directory.toString())
        .hasMessageContaining("restore the directory from a backup, or move it away")
        .message()
        .doesNotContain("\n");
  }

  @Test
  void theDirectoryIsAccessibleForTheOwnerOnly() throws IOException {
    log();

    assertThat(Files.getPosixFilePermissions(directory()))
        .isEqualTo(PosixFilePermissions.fromString("rwx------"));
  }

  @Test
  void appendedRecordsSurviveACrash() throws IOException {
    MetadataLog log = log();
    log.append(records("a"));
    log.append(records("b", "c"));

    assertThat(texts(contents(crashed()).records())).containsExactly("a", "b", "c");
  }

  @Test
  void dropsATornBatchCompletely() throws IOException {
    MetadataLog log = log();
    log.append(records("a"));
    long before = Files.size(writtenLog());
    log.append(records("b", "c".repeat(1000)));
    long after = Files.size(writtenLog());
    assertThat(after).isGreaterThan(before);

    for (long length = before; length < after; length += 97) {
      Path copy = crashed();
      truncate(logOf(copy), length);
      assertThat(texts(contents(copy).records())).containsExactly("a");
      deleteAll(copy);
    }
  }

  @Test
  void appendsToATornLog() throws IOException {
    MetadataLog log = log();
    log.append(records("a"));
    log.append(records("b"));
    Path copy = crashed();
    truncate(logOf(copy), Files.size(logOf(copy)) - 1);
    try (RocksMetadataLog again = RocksMetadataLog.open(copy)) {
      again.read();
      again.append(records("c"));
    }

    assertThat(texts(contents(copy).records())).containsExactly("a", "c");
  }

  @Test
  void reportsAFlippedBitAsDamage() throws IOException {
    MetadataLog log = log();
    log.append(records("a".repeat(500)));
    long middle = Files.size(writtenLog()) - 100;
    log.append(records("b".repeat(500)));
    log.append(records("c".repeat(500)));
    Path copy = crashed();
    flip(logOf(copy), middle);

    assertDamaged(copy);
  }

  @Test
  void reportsAMissingTableAsDamage() throws IOException {
    log().append(records("a".repeat(500)));
    // Opening again writes the log's records as a table.
    log();
    close();
    for (Path table : files(".sst")) {
      Files.delete(table);
    }

    assertDamaged(directory());
  }

  @Test
  void reportsAMissingManifestAsDamage() throws IOException {
    log().append(records("a"));
    close();
    try (Stream<Path> all = Files.list(directory())) {
      for (Path file :
          all.filter(f -> f.getFileName().toString().startsWith("MANIFEST")).toList()) {
        Files.delete(file);
      }
    }

    assertThatThrownBy(() -> contents(directory()))
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(directory().toString());
  }

  @Test
  void reportsAMissingRecordAsDamage() throws IOException, RocksDBException {
    log().append(records("a", "b", "c"));
    close();
    changed(db -> db.delete(LogFormat.recordKey(2)));

    assertDamaged(directory());
    assertThatThrownBy(() -> contents(directory()))
        .hasMessageContaining("expected record 2, found record 3");
  }

  @Test
  void reportsAMissingSnapshotRecordAsDamage() throws IOException, RocksDBException {
    MetadataLog log = log();
    log.append(records("a"));
    log.replace(records("x", "y"));
    close();
    changed(db -> db.delete(LogFormat.snapshotRecordKey(1)));

    assertDamaged(directory());
  }

  @Test
  void refusesAnotherVersion() throws IOException, RocksDBException {
    log();
    close();
    byte[] format = LogFormat.format();
    format[4] = 9;
    changed(db -> db.put(LogFormat.formatKey(), format));

    assertThatThrownBy(() -> contents(directory()))
        .hasMessageContaining("expected version 1, found 9");
  }

  @Test
  void refusesADirectoryOfAnotherDatabase() throws IOException, RocksDBException {
    Files.createDirectories(directory());
    log();
    close();
    changed(
        db -> {
          db.delete(LogFormat.formatKey());
          db.put(new byte[] {'x'}, new byte[0]);
        });

    assertThatThrownBy(() -> contents(directory()))
        .hasMessageContaining("not a coordinator's metadata log");
  }

  private interface Change {
    void make(RocksDB db) throws RocksDBException;
  }

  private void changed(Change change) throws RocksDBException {
    try (Options options = new Options();
        RocksDB db = RocksDB.open(options, directory().toString())) {
      change.make(db);
    }
  }

  @Test
  void refusesADirectoryInUse() throws IOException {
    log();

    assertThatThrownBy(this::open)
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(directory() + ": used by another process")
        .message()
        .doesNotContain("\n");
  }

  @Test
  void refusesAFileInsteadOfADirectory() throws IOException {
    Files.createDirectories(directory().getParent());
    Files.writeString(directory(), "");

    assertThatThrownBy(this::open)
        .isInstanceOf(IOException.class)
        .hasMessageStartingWith(directory() + ": cannot be created");
  }

  @Test
  void aClosedLogRefusesRecords() throws IOException {
    MetadataLog log = log();
    log.close();

    assertThatThrownBy(() -> log.append(records("a"))).isInstanceOf(IOException.class);
  }

  private static void deleteAll(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
