package io.sluice.coordinator.state;

import java.util.List;
import java.util.function.UnaryOperator;

/**
 * What is to change and what is answered once it has changed.
 *
 * @param records in the order in which they apply; empty: nothing changes
 */
public record Decision<R>(List<MetadataRecord> records, R reply) {

  /** An answer that changes nothing. */
  public static <R> Decision<R> unchanged(R reply) {
    return new Decision<>(List.of(), reply);
  }

  public static <R> Decision<R> of(MetadataRecord record, R reply) {
    return new Decision<>(List.of(record), reply);
  }

  /** The same with another answer. */
  public Decision<R> replied(UnaryOperator<R> change) {
    return new Decision<>(records, change.apply(reply));
  }
}
