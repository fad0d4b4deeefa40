package io.sluice.common.block;

/** Compression of a block's payload. Wire numbers never change their meaning. */
public enum BlockCodec {
  NONE(0),
  LZ4(1),
  ZSTD(2),
  SNAPPY(3);

  private final int wireNumber;

  BlockCodec(int wireNumber) {
    this.wireNumber = wireNumber;
  }

  public int wireNumber() {
    return wireNumber;
  }

  /** The codec of a wire number, or null if the number is unknown. */
  static BlockCodec ofWireNumber(int number) {
    return switch (number) {
      case 0 -> NONE;
      case 1 -> LZ4;
      case 2 -> ZSTD;
      case 3 -> SNAPPY;
      default -> null;
    };
  }
}
