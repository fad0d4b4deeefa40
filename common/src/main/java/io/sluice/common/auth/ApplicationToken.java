package io.sluice.common.auth;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The public part of a token: application, user and expiry of its connections. The token alone
 * authorizes nothing. The proof needs its key, which processes of the cluster derive from the token
 * and the cluster's secret.
 *
 * <pre>
 *  at size field          little-endian
 *   0    4 magic          "SLTK"
 *   4    1 version        1; any other: refuse
 *   5    1 keyIdLength    k, 1..32
 *   6    1 userLength     u, 1..128
 *   7    1 reserved       zero
 *   8    2 applicationLength a, 1..256
 *  10    6 reserved       zero
 *  16    8 issuedMs       since 1970
 *  24    8 expiryMs       since 1970; the token is refused from this time on
 *  32   16 nonce          random, makes each token unique
 *  48    k keyId          ASCII: the cluster key from which the token's key is derived
 *        u user           ASCII
 *        a application    ASCII
 * </pre>
 *
 * No bytes follow. Key = HMAC-SHA256(cluster key, "sluice token v1", all bytes).
 *
 * @param keyId of the cluster key
 * @param nonceHigh bytes 40..47
 * @param nonceLow bytes 32..39
 */
public record ApplicationToken(
    String keyId,
    String user,
    String application,
    long issuedMs,
    long expiryMs,
    long nonceHigh,
    long nonceLow) {
  static final int MAGIC = 'S' | 'L' << 8 | 'T' << 16 | 'K' << 24;
  static final int VERSION = 1;
  static final int FIXED_LENGTH = 48;
  static final int MAX_KEY_ID = 32;
  static final int MAX_USER = UserNames.MAX_LENGTH;
  static final int MAX_APPLICATION = UserNames.MAX_APPLICATION_LENGTH;

  /** Maximum length of a token in bytes. */
  public static final int MAX_LENGTH = FIXED_LENGTH + MAX_KEY_ID + MAX_USER + MAX_APPLICATION;

  public ApplicationToken {
    check("keyId", keyId, MAX_KEY_ID);
    check("user", user, MAX_USER);
    check("application", application, MAX_APPLICATION);
  }

  private static void check(String what, String text, int maxLength) {
    if (text.isEmpty()
        || text.length() > maxLength
        || text.chars().anyMatch(c -> c <= ' ' || c > '~')) {
      throw new IllegalArgumentException(
          what + ": expected 1 to " + maxLength + " visible ASCII characters");
    }
  }

  byte[] toBytes() {
    ByteBuffer bytes =
        ByteBuffer.allocate(FIXED_LENGTH + keyId.length() + user.length() + application.length())
            .order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(MAGIC).put((byte) VERSION);
    bytes.put((byte) keyId.length()).put((byte) user.length()).put((byte) 0);
    bytes.putShort((short) application.length()).putShort((short) 0).putInt(0);
    bytes.putLong(issuedMs).putLong(expiryMs).putLong(nonceHigh).putLong(nonceLow);
    bytes.put(ascii(keyId)).put(ascii(user)).put(ascii(application));
    return bytes.array();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * Decodes a token. Its fields are trusted only after a proof with its key.
   *
   * @throws SluiceException DENIED if the bytes are not a token
   */
  static ApplicationToken fromBytes(byte[] bytes) throws SluiceException {
    if (bytes.length < FIXED_LENGTH || bytes.length > MAX_LENGTH) {
      throw malformed(bytes.length + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    if (in.getInt() != MAGIC) {
      throw malformed("no magic");
    }
    int version = in.get();
    if (version != VERSION) {
      throw malformed("version " + version + ", expected " + VERSION);
    }
    int keyIdLength = in.get();
    int userLength = Byte.toUnsignedInt(in.get());
    int reserved = in.get();
    int applicationLength = in.getShort();
    reserved |= in.getShort() | in.getInt();
    if (reserved != 0) {
      throw malformed("reserved bytes are set");
    }
    boolean whole =
        keyIdLength > 0
            && userLength > 0
            && applicationLength > 0
            && in.capacity() == FIXED_LENGTH + keyIdLength + userLength + applicationLength;
    if (!whole) {
      throw malformed("lengths do not match");
    }
    long issuedMs = in.getLong();
    long expiryMs = in.getLong();
    long nonceHigh = in.getLong();
    long nonceLow = in.getLong();
    try {
      return new ApplicationToken(
          text(in, keyIdLength),
          text(in, userLength),
          text(in, applicationLength),
          issuedMs,
          expiryMs,
          nonceHigh,
          nonceLow);
    } catch (IllegalArgumentException e) {
      throw new SluiceException(StatusCode.DENIED, "token: " + e.getMessage(), e);
    }
  }

  private static String text(ByteBuffer in, int length) {
    byte[] bytes = new byte[length];
    in.get(bytes);
    // A byte beyond ASCII becomes a character that the constructor refuses.
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static SluiceException malformed(String why) {
    return new SluiceException(StatusCode.DENIED, "token is malformed: " + why);
  }
}
