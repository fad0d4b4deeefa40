package io.sluice.it.hostile;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import io.sluice.proto.ShuffleId;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** Frames and blocks in the formats of docs/formats.md, with arbitrary field values. */
final class Frames {
  static final int HELLO = 1;
  static final int HELLO_REPLY = 2;
  static final int PUSH = 3;
  static final int PUSH_ACK = 4;
  static final int OPEN = 5;
  static final int OPEN_REPLY = 6;
  static final int FETCH = 7;
  static final int FETCH_REPLY = 8;
  static final int ERROR = 9;
  static final int CHALLENGE = 10;
  static final int PROOF = 11;

  static final int HEADER_LENGTH = 32;
  static final int BLOCK_HEADER_LENGTH = 64;

  private static final int CRC_AT = 24;
  private static final int BLOCK_CRC_AT = 60;

  private Frames() {}

  /** Header and head of a frame without a body. */
  static byte[] of(int type, long request, MessageLite head) {
    return of(type, request, head.toByteArray(), 0);
  }

  /** Header and head of a frame. */
  static byte[] of(int type, long request, byte[] head, int bodyLength) {
    byte[] frame =
        ByteBuffer.allocate(HEADER_LENGTH + head.length)
            .put(header(type, request, head.length, bodyLength))
            .put(head)
            .array();
    CRC32C crc = new CRC32C();
    crc.update(frame, 0, CRC_AT);
    crc.update(head, 0, head.length);
    little(frame).putInt(CRC_AT, (int) crc.getValue());
    return frame;
  }

  /** A header without a checksum, which the server checks only after it has the head. */
  static byte[] header(int type, long request, int headLength, int bodyLength) {
    byte[] header = new byte[HEADER_LENGTH];
    little(header)
        .put(new byte[] {'S', 'L', 'F', 'R', 1, (byte) type})
        .putShort((short) 0)
        .putLong(request)
        .putInt(headLength)
        .putInt(bodyLength);
    return header;
  }

  /** A block that is the last one of its map attempt in its partition. */
  static byte[] block(int partition, int codec, int uncompressedLength, byte[] payload) {
    byte[] block = new byte[BLOCK_HEADER_LENGTH + payload.length];
    little(block)
        .put(new byte[] {'S', 'B', 2, 1, (byte) codec, 0, 0, 0})
        .putLong(1)
        .putInt(0)
        .putInt(partition)
        .putInt(0)
        .putInt(1)
        .putInt(uncompressedLength)
        .putInt(payload.length)
        // Receipt: one record, and its bytes.
        .putInt(1)
        .putShort((short) 0)
        .putInt(uncompressedLength)
        .putShort((short) 0)
        .putLong(0);
    System.arraycopy(payload, 0, block, BLOCK_HEADER_LENGTH, payload.length);
    CRC32C crc = new CRC32C();
    crc.update(block, 0, BLOCK_CRC_AT);
    crc.update(payload, 0, payload.length);
    little(block).putInt(BLOCK_CRC_AT, (int) crc.getValue());
    return block;
  }

  /** A message that begins with its shuffle, like Push, Open and Fetch, followed by any bytes. */
  static byte[] headOf(ShuffleId shuffle, byte[] rest) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    try {
      out.writeMessage(1, shuffle);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException("internal error: in-memory stream failed", e);
    }
    bytes.writeBytes(rest);
    return bytes.toByteArray();
  }

  private static ByteBuffer little(byte[] bytes) {
    return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  }
}
