package io.sluice.coordinator.log;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * An ordered log of records, with a snapshot that replaces the oldest records. Records are opaque
 * bytes, numbered from 1 without gaps.
 *
 * <p>Several coordinators can share a log. One of them leads: it alone appends. The others follow:
 * they {@link #poll} the records of the leader.
 *
 * <p>Used by one thread at a time, except {@link #leads} and {@link #close}. {@link #read} is
 * called once, before {@link #append} and {@link #replace}. Every call may block on disk I/O.
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

  /** A change of a shared log that this coordinator has not appended as leader. */
  sealed interface Delivery {
    /** Committed records that follow the records known so far. */
    record Appended(List<byte[]> records) implements Delivery {}

    /** The state known so far is replaced by these records of a snapshot. */
    record Replaced(List<byte[]> snapshot) implements Delivery {}

    /** This coordinator leads. Everything that earlier leaders committed has been delivered. */
    record Leading() implements Delivery {}
  }

  /** Whether this coordinator may append now. A log that is not shared always may. Thread-safe. */
  default boolean leads() {
    return true;
  }

  /** Returns the next delivery; empty: none waits, or the log is not shared. Does not block. */
  default Optional<Delivery> poll() {
    return Optional.empty();
  }

  /** Bytes of the records after the snapshot. */
  long recordBytes();

  /** Bytes of the snapshot. */
  long snapshotBytes();

  /** Idempotent. */
  @Override
  void close();
}
