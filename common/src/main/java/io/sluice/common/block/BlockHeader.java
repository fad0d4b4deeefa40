package io.sluice.common.block;

import io.netty.buffer.ByteBuf;
import io.sluice.common.block.BlockFormatException.Reason;

/**
 * Header of a block: 64 bytes, little-endian, followed by {@code payloadLength} bytes of payload.
 *
 * <pre>
 *  at size field
 *   0    2 magic               "SB"
 *   2    1 version             2; a reader refuses other versions
 *   3    1 flags               bit 0 LAST, bit 1 CONTINUED, bit 2 ENCRYPTED; any other bit set: refuse
 *   4    1 codec               0 none, 1 LZ4 block, 2 Zstandard frame, 3 Snappy raw
 *   5    1 encoding            of the data before compression: 0 as serialized, 1 row planes
 *   6    2 reserved            zero
 *   8    8 mapAttempt          unique per application, at least 0
 *  16    4 mapIndex            at least 0
 *  20    4 partition           at least 0
 *  24    4 sequence            0, 1, 2 ... per (mapAttempt, partition)
 *  28    4 recordCount         at least 0
 *  32    4 uncompressedLength  at least 0; of the data as serialized
 *  36    4 payloadLength       at least 0; 0 only for an empty LAST block
 *  40    6 receiptRecords      of all blocks of the attempt in the partition; 0 unless LAST
 *  46    6 receiptBytes        sum of their uncompressedLength; 0 unless LAST
 *  52    8 receiptChecksum     sum of the checksums of their batches; 0 unless LAST
 *  60    4 crc32c              Castagnoli, over bytes 0..59 and the payload
 * </pre>
 *
 * LAST marks the final block of its attempt in its partition: the attempt wrote exactly the blocks
 * {@code 0..sequence}, and its {@link Receipt} has their totals. CONTINUED means that block {@code
 * sequence + 1} continues the data of this block: a record larger than a block is split over
 * several blocks.
 */
public record BlockHeader(
    long mapAttempt,
    int mapIndex,
    int partition,
    int sequence,
    int recordCount,
    int uncompressedLength,
    int payloadLength,
    BlockCodec codec,
    BlockEncoding encoding,
    int flags) {

  /** Bytes of an encoded header. */
  public static final int LENGTH = 64;

  public static final int VERSION = 2;

  public static final int FLAG_LAST = 1;
  public static final int FLAG_CONTINUED = 1 << 1;
  public static final int FLAG_ENCRYPTED = 1 << 2;

  static final int MAGIC = 'S' | 'B' << 8;
  static final int MAGIC_AT = 0;
  static final int VERSION_AT = MAGIC_AT + 2;
  static final int FLAGS_AT = VERSION_AT + 1;
  static final int CODEC_AT = FLAGS_AT + 1;
  static final int ENCODING_AT = CODEC_AT + 1;
  static final int RESERVED_AT = ENCODING_AT + 1;
  static final int MAP_ATTEMPT_AT = RESERVED_AT + 2;
  static final int MAP_INDEX_AT = MAP_ATTEMPT_AT + 8;
  static final int PARTITION_AT = MAP_INDEX_AT + 4;
  static final int SEQUENCE_AT = PARTITION_AT + 4;
  static final int RECORD_COUNT_AT = SEQUENCE_AT + 4;
  static final int UNCOMPRESSED_LENGTH_AT = RECORD_COUNT_AT + 4;
  static final int PAYLOAD_LENGTH_AT = UNCOMPRESSED_LENGTH_AT + 4;
  static final int RECEIPT_RECORDS_AT = PAYLOAD_LENGTH_AT + 4;
  static final int RECEIPT_BYTES_AT = RECEIPT_RECORDS_AT + 6;
  static final int RECEIPT_CHECKSUM_AT = RECEIPT_BYTES_AT + 6;
  static final int CRC_AT = RECEIPT_CHECKSUM_AT + 8;

  private static final int KNOWN_FLAGS = FLAG_LAST | FLAG_CONTINUED | FLAG_ENCRYPTED;

  public BlockHeader {
    String wrong = firstWrongField(mapAttempt, mapIndex, partition, sequence, recordCount);
    wrong =
        wrong != null ? wrong : wrongContent(uncompressedLength, payloadLength, encoding, flags);
    if (wrong != null) {
      throw new IllegalArgumentException("block header: " + wrong);
    }
  }

  /** Header of a block whose data is as the engine serialized it. */
  public BlockHeader(
      long mapAttempt,
      int mapIndex,
      int partition,
      int sequence,
      int recordCount,
      int uncompressedLength,
      int payloadLength,
      BlockCodec codec,
      int flags) {
    this(
        mapAttempt,
        mapIndex,
        partition,
        sequence,
        recordCount,
        uncompressedLength,
        payloadLength,
        codec,
        BlockEncoding.NONE,
        flags);
  }

  public boolean isLast() {
    return (flags & FLAG_LAST) != 0;
  }

  public boolean isContinued() {
    return (flags & FLAG_CONTINUED) != 0;
  }

  /** Returns this header with more flags. */
  public BlockHeader withFlags(int more) {
    return new BlockHeader(
        mapAttempt,
        mapIndex,
        partition,
        sequence,
        recordCount,
        uncompressedLength,
        payloadLength,
        codec,
        encoding,
        flags | more);
  }

  public boolean isEncrypted() {
    return (flags & FLAG_ENCRYPTED) != 0;
  }

  /** Bytes of header and payload. */
  public int blockLength() {
    return LENGTH + payloadLength;
  }

  /**
   * Reads and checks the header at {@code index}, except the checksum (see {@link
   * BlockFormat#verify}). Borrows {@code buffer}; reader and writer index do not change.
   *
   * @param end end of the readable bytes; the whole block must be before it
   */
  public static BlockHeader read(ByteBuf buffer, int index, int end) throws BlockFormatException {
    if (index < 0 || end > buffer.capacity() || end - index < LENGTH) {
      throw new BlockFormatException(
          Reason.TRUNCATED,
          "block at "
              + index
              + ": expected a header of "
              + LENGTH
              + " bytes, found "
              + (end - index));
    }
    int magic = buffer.getUnsignedShortLE(index + MAGIC_AT);
    if (magic != MAGIC) {
      throw new BlockFormatException(
          Reason.BAD_MAGIC,
          String.format("block at %d: expected magic %04x, found %04x", index, MAGIC, magic));
    }
    int version = buffer.getUnsignedByte(index + VERSION_AT);
    if (version != VERSION) {
      throw new BlockFormatException(
          Reason.BAD_VERSION,
          "block at " + index + ": expected version " + VERSION + ", found " + version);
    }
    int flags = buffer.getUnsignedByte(index + FLAGS_AT);
    if ((flags & ~KNOWN_FLAGS) != 0) {
      throw new BlockFormatException(
          Reason.BAD_FLAGS, String.format("block at %d: unknown flags %02x", index, flags));
    }
    int codecNumber = buffer.getUnsignedByte(index + CODEC_AT);
    BlockCodec codec = BlockCodec.ofWireNumber(codecNumber);
    if (codec == null) {
      throw new BlockFormatException(
          Reason.BAD_CODEC, "block at " + index + ": unknown codec " + codecNumber);
    }
    int encodingNumber = buffer.getUnsignedByte(index + ENCODING_AT);
    BlockEncoding encoding = BlockEncoding.ofWireNumber(encodingNumber);
    if (encoding == null) {
      throw new BlockFormatException(
          Reason.BAD_CODEC, "block at " + index + ": unknown encoding " + encodingNumber);
    }
    long attempt = buffer.getLongLE(index + MAP_ATTEMPT_AT);
    int mapIndex = buffer.getIntLE(index + MAP_INDEX_AT);
    int partition = buffer.getIntLE(index + PARTITION_AT);
    int sequence = buffer.getIntLE(index + SEQUENCE_AT);
    int recordCount = buffer.getIntLE(index + RECORD_COUNT_AT);
    int uncompressedLength = buffer.getIntLE(index + UNCOMPRESSED_LENGTH_AT);
    int payloadLength = buffer.getIntLE(index + PAYLOAD_LENGTH_AT);
    String wrong = firstWrongField(attempt, mapIndex, partition, sequence, recordCount);
    wrong =
        wrong != null ? wrong : wrongContent(uncompressedLength, payloadLength, encoding, flags);
    if (wrong == null && buffer.getUnsignedShortLE(index + RESERVED_AT) != 0) {
      wrong = "reserved bytes are not zero";
    }
    if (wrong == null && (flags & FLAG_LAST) == 0 && hasReceipt(buffer, index)) {
      wrong = "receipt in a block that is not the last";
    }
    if (wrong != null) {
      throw new BlockFormatException(Reason.BAD_FIELD, "block at " + index + ": " + wrong);
    }
    if (payloadLength > end - index - LENGTH) {
      throw new BlockFormatException(
          Reason.TRUNCATED,
          "block at "
              + index
              + ": expected "
              + payloadLength
              + " bytes of payload, found "
              + (end - index - LENGTH));
    }
    return new BlockHeader(
        attempt,
        mapIndex,
        partition,
        sequence,
        recordCount,
        uncompressedLength,
        payloadLength,
        codec,
        encoding,
        flags);
  }

  private static boolean hasReceipt(ByteBuf buffer, int index) {
    return buffer.getLongLE(index + RECEIPT_RECORDS_AT) != 0
        || buffer.getIntLE(index + RECEIPT_RECORDS_AT + 8) != 0
        || buffer.getLongLE(index + RECEIPT_CHECKSUM_AT) != 0;
  }

  /**
   * Length of the block at {@code index} according to its header, which is not checked: for a
   * reader that has received only a part of the block. {@link #LENGTH} bytes must be readable.
   * Borrows {@code buffer}.
   */
  public static long claimedLength(ByteBuf buffer, int index) {
    return LENGTH + (long) buffer.getIntLE(index + PAYLOAD_LENGTH_AT);
  }

  /**
   * Writes all fields except receipt and checksum at {@code index}; see {@link BlockFormat#seal}.
   */
  void write(ByteBuf buffer, int index) {
    buffer.setShortLE(index + MAGIC_AT, MAGIC);
    buffer.setByte(index + VERSION_AT, VERSION);
    buffer.setByte(index + FLAGS_AT, flags);
    buffer.setByte(index + CODEC_AT, codec.wireNumber());
    buffer.setByte(index + ENCODING_AT, encoding.wireNumber());
    buffer.setShortLE(index + RESERVED_AT, 0);
    buffer.setLongLE(index + MAP_ATTEMPT_AT, mapAttempt);
    buffer.setIntLE(index + MAP_INDEX_AT, mapIndex);
    buffer.setIntLE(index + PARTITION_AT, partition);
    buffer.setIntLE(index + SEQUENCE_AT, sequence);
    buffer.setIntLE(index + RECORD_COUNT_AT, recordCount);
    buffer.setIntLE(index + UNCOMPRESSED_LENGTH_AT, uncompressedLength);
    buffer.setIntLE(index + PAYLOAD_LENGTH_AT, payloadLength);
  }

  private static String firstWrongField(
      long attempt, int mapIndex, int partition, int sequence, int recordCount) {
    if (attempt < 0) {
      return "negative map attempt " + attempt;
    }
    if (mapIndex < 0) {
      return "negative map index " + mapIndex;
    }
    if (partition < 0) {
      return "negative partition " + partition;
    }
    if (sequence < 0) {
      return "negative sequence number " + sequence;
    }
    return recordCount < 0 ? "negative record count " + recordCount : null;
  }

  private static String wrongContent(
      int uncompressedLength, int payloadLength, BlockEncoding encoding, int flags) {
    if (uncompressedLength < 0) {
      return "negative uncompressed length " + uncompressedLength;
    }
    if (payloadLength < 0 || payloadLength > Integer.MAX_VALUE - LENGTH) {
      return "payload length " + payloadLength + " out of range";
    }
    boolean last = (flags & FLAG_LAST) != 0;
    if (payloadLength == 0 && !last) {
      return "empty payload in a block that is not the last";
    }
    boolean continued = (flags & FLAG_CONTINUED) != 0;
    if (continued && encoding != BlockEncoding.NONE) {
      return "encoding " + encoding + " in a block that is CONTINUED";
    }
    return last && continued ? "both LAST and CONTINUED" : null;
  }
}
