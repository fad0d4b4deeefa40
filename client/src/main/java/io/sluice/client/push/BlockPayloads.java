package io.sluice.client.push;

import io.netty.buffer.ByteBuf;
import io.sluice.client.compress.BlockCompressor;
import io.sluice.client.compress.PayloadTransform;
import io.sluice.client.rows.BlockEncoder;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.block.BlockEncoding;
import io.sluice.common.block.BlockHeader;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Turns the records of a block into its payload: encodes, compresses, encrypts. Each step is left
 * out if its result is not smaller. Owned by one thread.
 */
final class BlockPayloads {
  /** Smaller payloads are not compressed: the gain does not pay for the call. */
  private static final int MIN_COMPRESSED_BYTES = 32;

  /** Maximum bytes that a payload transform adds: an initialization vector and padding. */
  private static final int TRANSFORM_ROOM = 1024;

  /** The length of encoded rows, before them. */
  private static final int PREFIX_BYTES = Integer.BYTES;

  /**
   * Bytes that are compressed to estimate the size of a block in the built-in shuffle: a piece of
   * its streams. Zstandard finds repetitions further away.
   */
  private static final int SAMPLE_BYTES = 32 << 10;

  private static final int ZSTD_SAMPLE_BYTES = 128 << 10;

  /** An encoded block above this share of its estimated size is compared with the plain one. */
  private static final int DOUBTFUL_PERCENT = 90;

  private static final int HUNDRED = 100;

  private final BlockCompressor compressor;
  private final PayloadTransform transform;
  private final RowBlocks rows;
  private BlockEncoder encoder;
  private byte[] scratch = new byte[0];
  private BlockCodec codec;
  private BlockEncoding encoding;
  private int length;
  private int plainLength;

  /**
   * @param compressor borrows
   * @param transform null for none
   * @param rows null if the records are never encoded
   */
  BlockPayloads(BlockCompressor compressor, PayloadTransform transform, RowBlocks rows) {
    this.compressor = compressor;
    this.transform = transform;
    this.rows = rows;
  }

  /** Maximum bytes of a payload with {@code recordBytes} of records. */
  int room(int recordBytes) {
    return Math.max(recordBytes, compressor.maxCompressedLength(recordBytes))
        + PREFIX_BYTES
        + (transform == null ? 0 : TRANSFORM_ROOM);
  }

  /**
   * Writes a payload.
   *
   * @param bytes borrows: the records
   * @param records number of records; 0 if they are not whole
   * @param body borrows: has {@link #room} for the payload
   */
  void write(byte[] bytes, int offset, int count, int records, ByteBuf body, int at)
      throws IOException {
    encoding = BlockEncoding.NONE;
    RowBlocks.Choice choice = rows == null ? RowBlocks.Choice.PLAIN : rows.choose(count, records);
    if (choice == RowBlocks.Choice.PLAIN
        || !encode(bytes, offset, count, records, body, at, choice)) {
      compress(bytes, offset, count, body, at);
      plainLength = length;
    }
    if (transform != null) {
      encrypt(body, at);
    }
    body.writerIndex(at + length);
  }

  private void compress(byte[] bytes, int offset, int count, ByteBuf body, int at) {
    int compressed = count;
    if (count >= MIN_COMPRESSED_BYTES && compressor.codec() != BlockCodec.NONE) {
      compressed =
          compressor.compress(
              bytes,
              offset,
              count,
              body.internalNioBuffer(at, compressor.maxCompressedLength(count)));
    }
    if (compressed < count) {
      codec = compressor.codec();
      length = compressed;
    } else {
      codec = BlockCodec.NONE;
      length = count;
      body.setBytes(at, bytes, offset, count);
    }
  }

  /** Encodes the records; false if this is not worthwhile. */
  private boolean encode(
      byte[] bytes,
      int offset,
      int count,
      int records,
      ByteBuf body,
      int at,
      RowBlocks.Choice choice) {
    if (encoder == null) {
      encoder = rows.encoder(compressor.codec() != BlockCodec.ZSTD);
    }
    int encoded = encoder.encode(bytes, offset, count, records);
    if (encoded < 0) {
      rows.refused(count);
      return false;
    }
    body.setIntLE(at, encoded);
    compress(encoder.encoded(), 0, encoded, body, at + PREFIX_BYTES);
    length += PREFIX_BYTES;
    BlockCodec encodedCodec = codec;
    if (!isSmaller(bytes, offset, count, choice)) {
      return false;
    }
    codec = encodedCodec;
    encoding = encoder.encoding();
    return true;
  }

  /**
   * Whether the encoded payload is smaller than one without the encoding; sets the length of that
   * one. If samples show that it is clearly smaller, nothing is compressed for that.
   */
  private boolean isSmaller(byte[] bytes, int offset, int count, RowBlocks.Choice choice) {
    int most = compressor.codec() == BlockCodec.ZSTD ? ZSTD_SAMPLE_BYTES : SAMPLE_BYTES;
    int sampled = Math.min(count, most);
    boolean isSample = choice != RowBlocks.Choice.ENCODE;
    boolean isComparison = choice == RowBlocks.Choice.COMPARE || (isSample && sampled == count);
    boolean isExact =
        isComparison
            || length * (long) HUNDRED > rows.comparedLength(count) * (long) DOUBTFUL_PERCENT;
    int exact = isExact ? plainLength(bytes, offset, count) : 0;
    if (isComparison) {
      rows.compared(count, exact, length);
    }
    if (isExact && sampled == count) {
      plainLength = exact;
    } else if (isSample) {
      plainLength = (int) ((long) plainLength(bytes, offset, sampled) * count / sampled);
    } else {
      plainLength = rows.sampledLength(count);
    }
    if (isSample) {
      rows.sampled(count, plainLength);
    }
    return !isExact || length < exact;
  }

  /** Bytes of the payload without the encoding. */
  private int plainLength(byte[] bytes, int offset, int count) {
    if (compressor.codec() == BlockCodec.NONE) {
      return count;
    }
    int most = compressor.maxCompressedLength(count);
    ensureScratch(most);
    return Math.min(
        count, compressor.compress(bytes, offset, count, ByteBuffer.wrap(scratch, 0, most)));
  }

  private void ensureScratch(int needed) {
    if (scratch.length < needed) {
      scratch = new byte[Math.max(needed, scratch.length * 2)];
    }
  }

  private void encrypt(ByteBuf body, int at) throws IOException {
    ensureScratch(length);
    body.getBytes(at, scratch, 0, length);
    byte[] encrypted = transform.encode(scratch, 0, length);
    if (encrypted.length < 1 || encrypted.length > length + TRANSFORM_ROOM) {
      throw new IllegalStateException(
          "invalid result of the payload transform: inputBytes="
              + length
              + " outputBytes="
              + encrypted.length
              + " maxAddedBytes="
              + TRANSFORM_ROOM);
    }
    plainLength += encrypted.length - length;
    length = encrypted.length;
    body.setBytes(at, encrypted);
  }

  /** Codec of the last payload; NONE if compression did not make it smaller. */
  BlockCodec codec() {
    return codec;
  }

  BlockEncoding encoding() {
    return encoding;
  }

  /** Bytes of the last payload. */
  int length() {
    return length;
  }

  /** Bytes of the last payload if it were not encoded; an estimate. */
  int plainLength() {
    return plainLength;
  }

  /** Codec of the last payload if it were not encoded. */
  BlockCodec plainCodec(int recordBytes) {
    return encoding == BlockEncoding.NONE
        ? codec
        : plainLength < recordBytes ? compressor.codec() : BlockCodec.NONE;
  }

  /** Flags of the last payload. */
  int flags() {
    return transform == null ? 0 : BlockHeader.FLAG_ENCRYPTED;
  }
}
