package io.sluice.coordinator.state;

import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Changes of the state, and the reply that is sent once they are applied.
 *
 * @param records changes in the order in which they apply; empty: nothing changes
 * @param withoutLog handling of the decision while the metadata log cannot be written
 */
public record Decision<R>(List<MetadataRecord> records, R reply, WithoutLog withoutLog) {

  /** Handling of a decision with logged changes while the metadata log cannot be written. */
  public enum WithoutLog {
    /** No change is applied, and the request fails. */
    FAIL,
    /**
     * Only the changes that are not logged are applied. The request is repeated periodically, which
     * decides the logged changes again.
     */
    LEAVE_OUT
  }

  public Decision(List<MetadataRecord> records, R reply) {
    this(records, reply, WithoutLog.FAIL);
  }

  /** Returns a decision that changes nothing. */
  public static <R> Decision<R> unchanged(R reply) {
    return new Decision<>(List.of(), reply);
  }

  public static <R> Decision<R> of(MetadataRecord record, R reply) {
    return new Decision<>(List.of(record), reply);
  }

  /**
   * Returns a decision for a periodic request: its logged changes may wait for the next request.
   */
  public static <R> Decision<R> repeated(List<MetadataRecord> records, R reply) {
    return new Decision<>(records, reply, WithoutLog.LEAVE_OUT);
  }

  /** Returns this decision with another reply. */
  public Decision<R> replied(UnaryOperator<R> change) {
    return new Decision<>(records, change.apply(reply), withoutLog);
  }
}
