package io.sluice.coordinator.state;

import io.sluice.coordinator.history.ClusterHistory;
import io.sluice.coordinator.log.MetadataLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metadata log of the state: restores the state at the start, appends changes, and replaces
 * them by a snapshot when the log has grown.
 *
 * <p>{@link #problem}, {@link #recordBytes} and {@link #snapshotBytes} are thread-safe; all other
 * methods are used by one thread: first the thread that starts the coordinator, then the state
 * thread.
 */
public final class StateLog {
  /** About the changes of one day in a mid-sized cluster; they are read in less than a second. */
  public static final long SNAPSHOT_AFTER_BYTES = 4 << 20;

  /**
   * A snapshot is written when the records exceed the last snapshot by this factor, so that the
   * cost per record is bounded.
   */
  private static final int SNAPSHOT_FACTOR = 2;

  private static final Logger log = LoggerFactory.getLogger(StateLog.class);

  /** Receives figures of the log. Called on the thread that uses the log. */
  public interface Probe {
    /** Records were appended. */
    void appended(int records, long bytes, long nanos);

    /** A batch or a snapshot could not be written. */
    void failed();

    /** A probe that ignores all figures. */
    Probe NONE =
        new Probe() {
          @Override
          public void appended(int records, long bytes, long nanos) {}

          @Override
          public void failed() {}
        };
  }

  private final MetadataLog records;
  private final LongSupplier nanoTime;
  private final Probe probe;
  private final long snapshotAfterBytes;
  private volatile String problem;
  private volatile long recordBytes;
  private volatile long snapshotBytes;

  /**
   * @param records the log; not closed by this class
   * @param nanoTime monotonic time, as {@link System#nanoTime}
   * @param snapshotAfterBytes minimum size of the records before they are replaced by a snapshot
   */
  public StateLog(
      MetadataLog records, LongSupplier nanoTime, Probe probe, long snapshotAfterBytes) {
    this.records = records;
    this.nanoTime = nanoTime;
    this.probe = probe;
    this.snapshotAfterBytes = snapshotAfterBytes;
  }

  /**
   * State restored from the log.
   *
   * @param newestMs newest time in the log, on the clock of the state; 0: none
   */
  public record Restored(ClusterView view, long newestMs) {}

  /**
   * Reads the log: applies the snapshot and the records after it.
   *
   * @param history an empty history, which gets the logged events and samples
   * @throws IOException if the log cannot be read, is damaged, or has records of a newer version
   */
  public Restored restore(ClusterHistory history) throws IOException {
    MetadataLog.Contents contents = records.read();
    List<LoggedChange> changes = decoded(contents.snapshot());
    changes.addAll(decoded(contents.records()));
    ClusterView view = ClusterView.startedAt(0).apply(changes);
    changes.forEach(change -> change.applyTo(history));
    measure();
    return new Restored(view, LoggedState.newestMs(changes));
  }

  /** Whether this coordinator decides; false: another one does, or none. Thread-safe. */
  boolean leads() {
    return records.leads();
  }

  /** Returns the next change of a shared log that this coordinator has not appended as leader. */
  Optional<MetadataLog.Delivery> poll() {
    Optional<MetadataLog.Delivery> delivery = records.poll();
    if (delivery.isPresent()) {
      problem = null;
      measure();
    }
    return delivery;
  }

  /**
   * Decodes records.
   *
   * @throws IOException if a record is damaged, or of a newer version
   */
  static List<LoggedChange> decoded(List<byte[]> encoded) throws IOException {
    List<LoggedChange> changes = new ArrayList<>();
    for (byte[] record : encoded) {
      changes.add(RecordFormat.decode(record));
    }
    return changes;
  }

  /** Returns the reason why the last write failed; empty: it succeeded. */
  public Optional<String> problem() {
    return Optional.ofNullable(problem);
  }

  /** Bytes of the records after the snapshot. */
  public long recordBytes() {
    return recordBytes;
  }

  public long snapshotBytes() {
    return snapshotBytes;
  }

  /**
   * Appends changes atomically.
   *
   * @return whether they are in the log; if not, {@link #problem} returns the reason, or this
   *     coordinator has ceased to lead
   */
  boolean append(List<LoggedChange> changes) {
    List<byte[]> encoded = changes.stream().map(RecordFormat::encode).toList();
    long startNanos = nanoTime.getAsLong();
    try {
      records.append(encoded);
    } catch (IOException e) {
      failed(e);
      return false;
    }
    probe.appended(
        encoded.size(),
        encoded.stream().mapToLong(record -> record.length).sum(),
        nanoTime.getAsLong() - startNanos);
    problem = null;
    measure();
    return true;
  }

  /** Replaces the records by a snapshot if they exceed the limit. */
  void snapshotIfDue(ClusterView view, ClusterHistory history) {
    long due = Math.max(snapshotAfterBytes, SNAPSHOT_FACTOR * records.snapshotBytes());
    if (records.recordBytes() <= due || problem != null) {
      return;
    }
    try {
      records.replace(LoggedState.of(view, history).stream().map(RecordFormat::encode).toList());
      measure();
    } catch (IOException e) {
      failed(e);
    }
  }

  private void failed(IOException e) {
    // The state thread logs an event at the first failure; retries, one per second, are counted.
    log.debug("metadata log could not be written", e);
    problem = records.leads() ? e.getMessage() : null;
    probe.failed();
  }

  private void measure() {
    recordBytes = records.recordBytes();
    snapshotBytes = records.snapshotBytes();
  }
}
