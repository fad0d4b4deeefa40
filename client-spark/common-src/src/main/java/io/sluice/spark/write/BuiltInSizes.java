package io.sluice.spark.write;

import io.sluice.client.push.BlockSizes;
import io.sluice.common.block.BlockCodec;
import org.apache.spark.SparkConf;

/**
 * Reports the size that the built-in shuffle would write for a block with the same codec, because
 * adaptive execution compares sizes with its thresholds. For tiny partitions most of that size is
 * the framing of Spark's compressed streams, which blocks do not have. Immutable.
 *
 * <pre>
 *  codec    per stream          per piece of content
 *  LZ4      21 (end mark)       21 (header of LZ4BlockOutputStream)
 *  Snappy   16 (header)          4 (length)
 *  Zstd      0                   2, or 12 where the block is not compressed
 * </pre>
 */
public final class BuiltInSizes implements BlockSizes {
  private static final int LZ4_FRAMING = 21;
  private static final int SNAPPY_HEADER = 16;
  private static final int SNAPPY_LENGTH = 4;

  /** Size of a streamed Zstd frame minus that of a frame compressed in one call. */
  private static final int ZSTD_FRAMING = 2;

  private static final int WHOLE_ZSTD_FRAMING = 12;

  private final BlockCodec codec;
  private final int pieceBytes;

  private BuiltInSizes(BlockCodec codec, int pieceBytes) {
    this.codec = codec;
    this.pieceBytes = Math.max(1, pieceBytes);
  }

  /**
   * @param codec codec of the shuffle
   */
  public static BuiltInSizes of(BlockCodec codec, SparkConf conf) {
    String key =
        codec == BlockCodec.SNAPPY
            ? "spark.io.compression.snappy.blockSize"
            : "spark.io.compression.lz4.blockSize";
    return new BuiltInSizes(codec, (int) conf.getSizeAsBytes(key, "32k"));
  }

  @Override
  public int of(boolean first, BlockCodec used, int contentLength, int payloadLength) {
    int pieces = (contentLength + pieceBytes - 1) / pieceBytes;
    return payloadLength
        + switch (codec) {
          case NONE -> 0;
          case LZ4 -> LZ4_FRAMING * (pieces + (first ? 1 : 0));
          case SNAPPY -> SNAPPY_LENGTH * pieces + (first ? SNAPPY_HEADER : 0);
          case ZSTD -> used == BlockCodec.NONE ? WHOLE_ZSTD_FRAMING : ZSTD_FRAMING;
        };
  }
}
