package io.sluice.coordinator.log;

import java.util.ArrayList;
import java.util.List;

/**
 * A log in memory. {@link #dropping} discards all records, for a coordinator without a data
 * directory; {@link #keeping} stores them, for tests.
 */
public final class InMemoryMetadataLog implements MetadataLog {
  private final boolean keeps;
  private final List<byte[]> records = new ArrayList<>();
  private List<byte[]> snapshot = List.of();
  private long snapshotIndex;

  private InMemoryMetadataLog(boolean keeps) {
    this.keeps = keeps;
  }

  /** Returns a log that can be read again after {@link #close}. */
  public static InMemoryMetadataLog keeping() {
    return new InMemoryMetadataLog(true);
  }

  /** Returns a log that is always empty. */
  public static InMemoryMetadataLog dropping() {
    return new InMemoryMetadataLog(false);
  }

  @Override
  public Contents read() {
    return new Contents(List.copyOf(snapshot), snapshotIndex, List.copyOf(records));
  }

  @Override
  public void append(List<byte[]> appended) {
    if (keeps) {
      records.addAll(appended);
    }
  }

  @Override
  public void replace(List<byte[]> newer) {
    if (keeps) {
      snapshotIndex += records.size();
      snapshot = List.copyOf(newer);
      records.clear();
    }
  }

  @Override
  public long recordBytes() {
    return bytes(records);
  }

  @Override
  public long snapshotBytes() {
    return bytes(snapshot);
  }

  @Override
  public void close() {}

  private static long bytes(List<byte[]> all) {
    return all.stream().mapToLong(one -> one.length).sum();
  }
}
