package io.sluice.coordinator.log;

import java.io.IOException;
import java.util.List;

/**
 * An ordered log of records and a snapshot in the place of the oldest ones. Records are opaque
 * bytes, numbered from 1 without gaps.
 *
 * <p>Belongs to one thread at a time. {@link #read} comes first, once; {@link #append} and {@link
 * #replace} follow. Every call may wait for a disk.
 */
public interface MetadataLog extends AutoCloseable {
  /** A record is at most as long as this: a minute of throughput of the largest cluster fits. */
  int MAX_RECORD_BYTES = 64 << 20;

  /**
   * All that a log has.
   *
   * @param snapshot records that give the state after record {@code snapshotIndex}; empty if there
   *     is no snapshot
   * @param snapshotIndex 0: there is no snapshot
   * @param records those after {@code snapshotIndex}, in their order
   */
  record Contents(List<byte[]> snapshot, long snapshotIndex, List<byte[]> records) {}

  /**
   * Reads the log.
   *
   * @throws IOException it cannot be read or is damaged; one line that names the log
   */
  Contents read() throws IOException;

  /**
   * Appends records as one unit, in their order: when this returns, all of them survive a crash of
   * the machine.
   *
   * @throws IOException none of them counts as appended. The next call may succeed. A process that
   *     ends before that may find them in the log.
   */
  void append(List<byte[]> records) throws IOException;

  /**
   * Makes {@code snapshot} the state after the last record appended, and drops all records.
   *
   * @throws IOException the log is as before
   */
  void replace(List<byte[]> snapshot) throws IOException;

  /** Bytes of the records after the snapshot. */
  long recordBytes();

  /** Bytes of the snapshot. */
  long snapshotBytes();

  /** Idempotent. */
  @Override
  void close();
}
