package io.sluice.client.compress;

import io.sluice.common.block.BlockCodec;

/** Values of the codec key. */
public enum CodecChoice {
  LZ4(BlockCodec.LZ4),
  ZSTD(BlockCodec.ZSTD),
  SNAPPY(BlockCodec.SNAPPY),
  NONE(BlockCodec.NONE),
  /** Name of NONE in Uniffle. */
  NOOP(BlockCodec.NONE);

  private final BlockCodec codec;

  CodecChoice(BlockCodec codec) {
    this.codec = codec;
  }

  public BlockCodec codec() {
    return codec;
  }
}
