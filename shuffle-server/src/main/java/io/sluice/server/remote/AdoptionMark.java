package io.sluice.server.remote;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * Contents of the file that marks a server's directory on the remote tier as adopted by another
 * server. From then on only that server deletes files of the directory, and no server adds any.
 * Little-endian.
 *
 * <pre>
 *   at size field
 *    0    4 magic        "SLAD"
 *    4    2 version      1; a reader refuses any other
 *    6    2 nameLength   n, 1..128
 *    8    n adopter      name of the directory of the server that adopted this one, ASCII
 *  8+n    4 markCrc32c   over bytes 0..7+n
 * </pre>
 *
 * @param adopter name of the directory of the server that serves the files
 */
record AdoptionMark(String adopter) {
  private static final int MAGIC = 0x44414c53;
  private static final short VERSION = 1;
  private static final int NAME_AT = 8;
  private static final Pattern VALID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

  /** Maximum length of an encoded mark. */
  static final int MAX_LENGTH = NAME_AT + 128 + Integer.BYTES;

  AdoptionMark {
    if (!isDirectoryName(adopter)) {
      throw new IllegalArgumentException("not a directory name: " + adopter);
    }
  }

  /** Whether a text is a valid name of a server's directory. */
  static boolean isDirectoryName(String name) {
    return VALID.matcher(name).matches();
  }

  byte[] encode() {
    byte[] name = adopter.getBytes(StandardCharsets.US_ASCII);
    ByteBuffer bytes =
        ByteBuffer.allocate(NAME_AT + name.length + Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(MAGIC).putShort(VERSION).putShort((short) name.length).put(name);
    return bytes.putInt(crc(bytes.array(), NAME_AT + name.length)).array();
  }

  /**
   * Decodes a mark.
   *
   * @param file for messages
   * @throws IOException if the bytes are not a mark; the message is one line
   */
  static AdoptionMark decode(byte[] mark, String file) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(mark).order(ByteOrder.LITTLE_ENDIAN);
    if (mark.length < NAME_AT + 1 + Integer.BYTES || bytes.getInt() != MAGIC) {
      throw new IOException(file + ": expected an adoption mark, found " + mark.length + " bytes");
    }
    int version = bytes.getShort();
    if (version != VERSION) {
      throw new IOException(file + ": expected version " + VERSION + ", found " + version);
    }
    int length = bytes.getShort();
    if (length < 1 || mark.length != NAME_AT + length + Integer.BYTES) {
      throw new IOException(
          file + ": " + mark.length + " bytes do not fit a name of " + length + " bytes");
    }
    int expected = bytes.getInt(NAME_AT + length);
    int found = crc(mark, NAME_AT + length);
    if (found != expected) {
      throw new IOException(
          String.format("%s: expected checksum %08x, found %08x", file, expected, found));
    }
    String name = new String(mark, NAME_AT, length, StandardCharsets.US_ASCII);
    if (!isDirectoryName(name)) {
      throw new IOException(file + ": the adopter is not a directory name");
    }
    return new AdoptionMark(name);
  }

  private static int crc(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
