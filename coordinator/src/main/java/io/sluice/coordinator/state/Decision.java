package io.sluice.coordinator.state;

import java.util.List;
import java.util.function.UnaryOperator;

/**
 * What is to change and what is answered once it has changed.
 *
 * @param records in the order in which they apply; empty: nothing changes
 * @param withoutLog what becomes of the decision while the log cannot be written
 */
public record Decision<R>(List<MetadataRecord> records, R reply, WithoutLog withoutLog) {

  /** What becomes of a decision with logged changes while the log cannot be written. */
  public enum WithoutLog {
    /** Nothing of it is applied, and the request fails. */
    FAIL,
    /**
     * Its logged changes are left out, the others are applied: the request comes again and again,
     * and what was left out is decided again.
     */
    LEAVE_OUT
  }

  public Decision(List<MetadataRecord> records, R reply) {
    this(records, reply, WithoutLog.FAIL);
  }

  /** An answer that changes nothing. */
  public static <R> Decision<R> unchanged(R reply) {
    return new Decision<>(List.of(), reply);
  }

  public static <R> Decision<R> of(MetadataRecord record, R reply) {
    return new Decision<>(List.of(record), reply);
  }

  /** A decision of a request that is repeated: logged changes may wait for the next one. */
  public static <R> Decision<R> repeated(List<MetadataRecord> records, R reply) {
    return new Decision<>(records, reply, WithoutLog.LEAVE_OUT);
  }

  /** The same with another answer. */
  public Decision<R> replied(UnaryOperator<R> change) {
    return new Decision<>(records, change.apply(reply), withoutLog);
  }
}
