package io.sluice.spark.write;

import io.sluice.client.push.PushOptions;
import io.sluice.client.push.RowBlocks;

/**
 * What map attempts of a shuffle write.
 *
 * @param rows set if rows are encoded before compression; null for none
 * @param opaque whether the bytes are written as they are: an engine has serialized and compressed
 *     them
 */
public record OutputKind(RowBlocks rows, boolean opaque) {
  /** Frames of a native engine. */
  public static final OutputKind OPAQUE = new OutputKind(null, true);

  /**
   * Serialized records.
   *
   * @param rows null if they are not encoded
   */
  public static OutputKind records(RowBlocks rows) {
    return new OutputKind(rows, false);
  }

  PushOptions of(PushOptions options) {
    return opaque ? options.opaque() : options;
  }
}
