package io.sluice.coordinator.state;

import io.sluice.coordinator.log.InMemoryMetadataLog;
import io.sluice.coordinator.log.MetadataLog;
import java.io.IOException;
import java.util.List;

/** A log in memory with injected failures. Thread-safe. */
final class FaultyLog implements MetadataLog {
  private final InMemoryMetadataLog log = InMemoryMetadataLog.keeping();
  private String failure;
  private boolean broken;
  private boolean crashes;
  private int appends;

  /** Fails every write. */
  synchronized void fail(String why) {
    failure = why;
  }

  synchronized void recover() {
    failure = null;
    broken = false;
    crashes = false;
  }

  /** Throws an undocumented exception. */
  synchronized void breakDown() {
    broken = true;
  }

  /** Appends, then stops the calling thread before it can apply the records. */
  synchronized void crashAfterAppend() {
    crashes = true;
  }

  synchronized List<byte[]> records() {
    return log.read().records();
  }

  /** Number of appended batches. */
  synchronized int appends() {
    return appends;
  }

  @Override
  public synchronized Contents read() {
    return log.read();
  }

  @Override
  public synchronized void append(List<byte[]> records) throws IOException {
    check();
    log.append(records);
    appends++;
    if (crashes) {
      throw new IllegalStateException("crash after append");
    }
  }

  @Override
  public synchronized void replace(List<byte[]> snapshot) throws IOException {
    check();
    log.replace(snapshot);
  }

  private void check() throws IOException {
    if (broken) {
      throw new IllegalStateException("broken");
    }
    if (failure != null) {
      throw new IOException(failure);
    }
  }

  @Override
  public synchronized long recordBytes() {
    return log.recordBytes();
  }

  @Override
  public synchronized long snapshotBytes() {
    return log.snapshotBytes();
  }

  @Override
  public void close() {}
}
