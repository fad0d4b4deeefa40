package io.sluice.client.read;

import io.netty.buffer.ByteBuf;
import io.sluice.client.compress.BlockDecompressor;
import io.sluice.client.compress.PayloadTransform;
import io.sluice.client.rows.RecordPlanesDecoder;
import io.sluice.client.rows.RowPlanesDecoder;
import io.sluice.common.block.BlockEncoding;
import io.sluice.common.block.BlockHeader;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Restores the records of a block: decrypts, decompresses, decodes. Lengths are checked before
 * memory is allocated for them. Owned by one thread.
 */
public final class PayloadReader implements AutoCloseable {
  private static final int FIRST_BYTES = 64 << 10;

  private final PayloadTransform transform;
  private final BlockDecompressor decompressor;
  private final RowPlanesDecoder rows = new RowPlanesDecoder();
  private final RecordPlanesDecoder records = new RecordPlanesDecoder();
  private byte[] output = new byte[0];
  private byte[] encoded = new byte[0];
  private byte[] encrypted = new byte[0];

  /**
   * @param transform null for none
   * @param decompressor takes
   */
  public PayloadReader(PayloadTransform transform, BlockDecompressor decompressor) {
    this.transform = transform;
    this.decompressor = decompressor;
  }

  /**
   * Reads a payload, whose checksum is verified.
   *
   * @param buffer borrows
   * @return lent until the next call: the records, in the first {@link
   *     BlockHeader#uncompressedLength} bytes
   * @throws SluiceException BLOCK_CORRUPT if the payload does not match the header
   */
  public byte[] read(ByteBuf buffer, int at, BlockHeader header) throws IOException {
    int length = header.uncompressedLength();
    int payloadLength = header.payloadLength();
    ByteBuffer payload;
    if (header.isEncrypted() && payloadLength > 0) {
      payload = decrypt(buffer, at, payloadLength);
    } else {
      payload = buffer.nioBuffer(at, payloadLength);
    }
    if (header.encoding() != BlockEncoding.NONE) {
      readEncoded(payload, header, length);
    } else {
      decompressor.checkLength(header.codec(), payload.remaining(), length);
      output = withRoom(output, length);
      decompressor.decompress(header.codec(), payload, output, 0, length);
    }
    return output;
  }

  private void readEncoded(ByteBuffer payload, BlockHeader header, int length)
      throws SluiceException {
    if (payload.remaining() < Integer.BYTES) {
      throw new SluiceException(
          StatusCode.BLOCK_CORRUPT,
          "encoded block with " + payload.remaining() + " bytes of payload");
    }
    int encodedLength = Integer.reverseBytes(payload.getInt());
    decompressor.checkEncodedLength(header.codec(), payload.remaining(), encodedLength, length);
    encoded = withRoom(encoded, encodedLength);
    decompressor.decompress(header.codec(), payload, encoded, 0, encodedLength);
    output = withRoom(output, length);
    if (header.encoding() == BlockEncoding.ROW_PLANES) {
      rows.decode(encoded, encodedLength, output, length);
    } else {
      records.decode(encoded, encodedLength, output, length);
    }
  }

  private static byte[] withRoom(byte[] array, int length) {
    return array.length >= length
        ? array
        : new byte[Math.max(length, Math.max(FIRST_BYTES, array.length * 2))];
  }

  private ByteBuffer decrypt(ByteBuf buffer, int at, int payloadLength) throws IOException {
    if (transform == null) {
      throw new SluiceException(
          StatusCode.BAD_REQUEST, "the blocks are encrypted, and this reader has no key");
    }
    if (encrypted.length < payloadLength) {
      encrypted = new byte[Math.max(payloadLength, encrypted.length * 2)];
    }
    buffer.getBytes(at, encrypted, 0, payloadLength);
    return ByteBuffer.wrap(transform.decode(encrypted, 0, payloadLength));
  }

  /** Frees the buffers and the codecs. Idempotent. */
  @Override
  public void close() {
    decompressor.close();
    output = new byte[0];
    encoded = new byte[0];
    encrypted = new byte[0];
  }
}
