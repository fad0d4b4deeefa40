package io.sluice.coordinator.log;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * A file that is one protobuf message after a header with checksum. Numbers are little-endian.
 *
 * <pre>
 *   0    4 magic
 *   4    2 version            a reader refuses unknown versions
 *   6    2 reserved           zero
 *   8    4 checksum           CRC32C of the bytes from 12
 *  12      message
 * </pre>
 *
 * @param name for messages, such as "a snapshot of a shared metadata log"
 * @param magic four ASCII characters
 */
public record CheckedFormat(String name, String magic, int version) {
  static final int HEADER_LENGTH = 12;

  /** Returns a file with this message. */
  public byte[] encode(byte[] message) {
    return ByteBuffer.allocate(HEADER_LENGTH + message.length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .putInt(magicNumber())
        .putShort((short) version)
        .putShort((short) 0)
        .putInt(checksum(ByteBuffer.wrap(message)))
        .put(message)
        .array();
  }

  /**
   * Returns the message of a file.
   *
   * @throws IOException if it is damaged or of an unknown version; the message is one line
   */
  public ByteBuffer decode(byte[] file) throws IOException {
    ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    if (file.length < HEADER_LENGTH || in.getInt() != magicNumber()) {
      throw new IOException("not " + name);
    }
    int found = in.getShort();
    if (found != version || in.getShort() != 0) {
      throw new IOException("expected version " + version + ", found " + found);
    }
    if (in.getInt() != checksum(in.slice())) {
      throw new IOException("the checksum does not match");
    }
    return in.slice();
  }

  private int magicNumber() {
    return magic.charAt(0) | magic.charAt(1) << 8 | magic.charAt(2) << 16 | magic.charAt(3) << 24;
  }

  private static int checksum(ByteBuffer message) {
    CRC32C crc = new CRC32C();
    crc.update(message);
    return (int) crc.getValue();
  }
}
