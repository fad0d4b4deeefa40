package io.sluice.client.compress;

import io.sluice.common.block.BlockCodec;

/** Codecs by the names that people configure. */
public enum CodecChoice {
  LZ4(BlockCodec.LZ4),
  ZSTD(BlockCodec.ZSTD),
  SNAPPY(BlockCodec.SNAPPY),
  NONE(BlockCodec.NONE),
  /** What Uniffle calls NONE. */
  NOOP(BlockCodec.NONE);

  private final BlockCodec codec;

  CodecChoice(BlockCodec codec) {
    this.codec = codec;
  }

  public BlockCodec codec() {
    return codec;
  }
}
