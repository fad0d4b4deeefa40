package io.sluice.coordinator.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Contract of all metadata logs. */
abstract class MetadataLogContract {
  private MetadataLog open;

  /** Opens the log of this test; after {@link MetadataLog#close}, the same one again. */
  abstract MetadataLog open() throws IOException;

  @AfterEach
  void close() {
    if (open != null) {
      open.close();
    }
  }

  final MetadataLog log() throws IOException {
    close();
    open = open();
    open.read();
    return open;
  }

  final MetadataLog.Contents reopened() throws IOException {
    close();
    open = open();
    return open.read();
  }

  static List<byte[]> records(String... texts) {
    List<byte[]> records = new ArrayList<>();
    for (String text : texts) {
      records.add(text.getBytes(StandardCharsets.UTF_8));
    }
    return records;
  }

  static List<String> texts(List<byte[]> records) {
    return records.stream().map(record -> new String(record, StandardCharsets.UTF_8)).toList();
  }

  @Test
  void aNewLogIsEmpty() throws IOException {
    MetadataLog.Contents contents = reopened();

    assertThat(contents.snapshot()).isEmpty();
    assertThat(contents.snapshotIndex()).isZero();
    assertThat(contents.records()).isEmpty();
    assertThat(open.recordBytes()).isZero();
    assertThat(open.snapshotBytes()).isZero();
  }

  @Test
  void returnsRecordsInTheirOrder() throws IOException {
    MetadataLog log = log();
    log.append(records("a", "", "b"));
    log.append(records("c"));

    assertThat(log.recordBytes()).isEqualTo(3);
    assertThat(texts(reopened().records())).containsExactly("a", "", "b", "c");
    assertThat(open.recordBytes()).isEqualTo(3);
  }

  @Test
  void appendsToExistingRecords() throws IOException {
    log().append(records("a"));
    log().append(records("b"));

    assertThat(texts(reopened().records())).containsExactly("a", "b");
  }

  @Test
  void aSnapshotReplacesTheRecordsBeforeIt() throws IOException {
    MetadataLog log = log();
    log.append(records("a", "b", "c"));
    log.replace(records("state of c", "more"));
    assertThat(log.recordBytes()).isZero();
    assertThat(log.snapshotBytes()).isEqualTo(14);
    log.append(records("d"));

    MetadataLog.Contents contents = reopened();

    assertThat(texts(contents.snapshot())).containsExactly("state of c", "more");
    assertThat(contents.snapshotIndex()).isEqualTo(3);
    assertThat(texts(contents.records())).containsExactly("d");
    assertThat(open.snapshotBytes()).isEqualTo(14);
  }

  @Test
  void aShorterSnapshotReplacesALongerOne() throws IOException {
    MetadataLog log = log();
    log.append(records("a"));
    log.replace(records("1", "2", "3"));
    log.append(records("b"));
    log.replace(records("4"));

    assertThat(texts(reopened().snapshot())).containsExactly("4");
  }

  @Test
  void aSnapshotMayBeEmpty() throws IOException {
    MetadataLog log = log();
    log.append(records("a"));
    log.replace(List.of());

    MetadataLog.Contents contents = reopened();

    assertThat(contents.snapshot()).isEmpty();
    assertThat(contents.snapshotIndex()).isEqualTo(1);
    assertThat(contents.records()).isEmpty();
    open.append(records("b"));
    assertThat(texts(reopened().records())).containsExactly("b");
  }

  @Test
  void readsLargeRecords() throws IOException {
    byte[] large = new byte[9 << 20];
    new Random(1).nextBytes(large);
    log().append(List.of(large, new byte[] {1}));

    assertThat(reopened().records()).containsExactly(large, new byte[] {1});
  }

  @Test
  void closesMoreThanOnce() throws IOException {
    MetadataLog log = log();
    log.close();
    log.close();
  }
}
