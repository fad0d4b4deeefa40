package io.sluice.spark.comet;

import io.sluice.spark.engine.FrameFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.UnaryOperator;

/**
 * Frames of Comet's map output files: batches of columns, each encoded on its own.
 *
 * <pre>
 *  at size field
 *   0    8 length   bytes of the frame behind this field, little-endian
 *   8    8 fields   number of columns, little-endian
 *  16      batch    codec and an Arrow IPC stream
 * </pre>
 */
final class CometFrames implements FrameFormat {
  private static final int LENGTH_BYTES = Long.BYTES;
  private static final int HEADER_BYTES = LENGTH_BYTES + Long.BYTES;

  private final UnaryOperator<InputStream> decryption;

  /**
   * @param decryption opens the bytes of a partition in a file
   */
  CometFrames(UnaryOperator<InputStream> decryption) {
    this.decryption = decryption;
  }

  @Override
  public int headerBytes() {
    return HEADER_BYTES;
  }

  @Override
  public long frameBytes(ByteBuffer header) throws IOException {
    ByteBuffer ordered = header.duplicate().order(ByteOrder.LITTLE_ENDIAN);
    long length = ordered.getLong(0);
    long fields = ordered.getLong(LENGTH_BYTES);
    if (length < HEADER_BYTES - LENGTH_BYTES
        || length > Integer.MAX_VALUE
        || fields < 0
        || fields > Integer.MAX_VALUE) {
      throw new IOException(
          "not a batch of Comet 0.12, another version of Comet may be on the class path: length="
              + length
              + " columns="
              + fields);
    }
    return LENGTH_BYTES + length;
  }

  @Override
  public InputStream open(InputStream stored) {
    return decryption.apply(stored);
  }
}
