package io.sluice.client.compress;

import io.sluice.common.block.BlockCodec;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;

/** Makes compressors and decompressors. Stateless. */
public final class BlockCodecs {
  private BlockCodecs() {}

  /**
   * A compressor of the codec.
   *
   * @param zstdLevel of ZSTD; the others have none
   * @throws SluiceException BAD_REQUEST if the codec's library is not there
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

  /** A decompressor of every codec; loads a library when its first block comes. */
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
            + " cannot be used: its library "
            + library
            + " is missing or does not load here ("
            + cause
            + "); choose another codec or add the library to the class path",
        cause);
  }
}
