package io.sluice.coordinator.log;

import java.io.IOException;
import java.util.List;

/**
 * An ordered log of records, with a snapshot that replaces the oldest records. Records are opaque
 * bytes, numbered from 1 without gaps.
 *
 * <p>Used by one thread at a time. {@link #read} is called once, before {@link #append} and {@link
 * #replace}. Every call may block on disk I/O.
 */
public interface MetadataLog extends AutoCloseable {
  /** Maximum size of a record: fits a minute of throughput samples of the largest cluster. */
  int MAX_RECORD_BYTES = 64 << 20;

  /**
   * Contents of a log.
   *
   * @param snapshot records that give the state after record {@code snapshotIndex}; empty if there
   *     is no snapshot
   * @param snapshotIndex index of the last record that the snapshot replaces; 0: there is no
   *     snapshot
   * @param records the records after {@code snapshotIndex}, in order
   */
  record Contents(List<byte[]> snapshot, long snapshotIndex, List<byte[]> records) {}

  /**
   * Reads the log.
   *
   * @throws IOException if the log is damaged or cannot be read; the message is one line with the
   *     name of the log
   */
  Contents read() throws IOException;

  /**
   * Appends records atomically, in order. When this method returns, all of them survive a crash of
   * the machine.
   *
   * @throws IOException if the write fails: none of the records counts as appended, and the next
   *     call may succeed. If the process ends before the next call, the records may be in the log.
   */
  void append(List<byte[]> records) throws IOException;

  /**
   * Replaces all records and the previous snapshot by {@code snapshot}, the state after the last
   * appended record.
   *
   * @throws IOException if the write fails; the log is unchanged
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
