package io.sluice.client.compress;

import io.sluice.common.block.BlockCodec;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;

/** Factory of compressors and decompressors. Stateless. */
public final class BlockCodecs {
  private BlockCodecs() {}

  /**
   * Returns a compressor of the codec.
   *
   * @param zstdLevel level of ZSTD; other codecs ignore it
   * @throws SluiceException BAD_REQUEST if the library of the codec is not available
   */
  public static BlockCompressor compressor(BlockCodec codec, int zstdLevel) throws SluiceException {
    try {
      return switch (codec) {
        case NONE -> new NoCompressor();
        case LZ4 -> new Lz4Compressor();
        case ZSTD -> new ZstdCompressor(zstdLevel);
        case SNAPPY -> new SnappyCompressor();
      };
    } catch (LinkageError e) {
      throw unavailable(codec, e);
    }
  }

  /** Returns a decompressor of all codecs; it loads a library with the first block of its codec. */
  public static BlockDecompressor decompressor(int maxBlockBytes) {
    return new BlockDecompressor(maxBlockBytes);
  }

  static SluiceException unavailable(BlockCodec codec, LinkageError cause) {
    String library =
        switch (codec) {
          case NONE -> "none";
          case LZ4 -> "lz4-java";
          case ZSTD -> "zstd-jni";
          case SNAPPY -> "snappy-java";
        };
    return new SluiceException(
        StatusCode.BAD_REQUEST,
        "codec "
            + codec
            + " is not available: its library "
            + library
            + " is missing or failed to load ("
            + cause
            + "); add the library to the class path, or set rss.client.io.compression.codec to"
            + " another codec",
        cause);
  }
}
