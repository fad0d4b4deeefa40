package io.sluice.common.block;

/** Encoding of a block's records before compression. Wire numbers never change their meaning. */
public enum BlockEncoding {
  /** The records as the engine serialized them. */
  NONE(0),
  /** Rows of Spark SQL, column by column. */
  ROW_PLANES(1),
  /** Records of MapReduce: lengths, keys and values together. */
  RECORD_PLANES(2);

  private final int wireNumber;

  BlockEncoding(int wireNumber) {
    this.wireNumber = wireNumber;
  }

  public int wireNumber() {
    return wireNumber;
  }

  /** The encoding of a wire number, or null if the number is unknown. */
  static BlockEncoding ofWireNumber(int number) {
    return switch (number) {
      case 0 -> NONE;
      case 1 -> ROW_PLANES;
      case 2 -> RECORD_PLANES;
      default -> null;
    };
  }
}
