package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A token: a coordinator states with its signature that the owner of a key may use the connections
 * of an application of a user until the expiry. The token is not secret; a proof needs the private
 * key.
 *
 * <pre>
 *  at size field          little-endian
 *   0    4 magic          "SLTK"
 *   4    1 version        2; any other: refuse
 *   5    1 userLength     u, 1..128
 *   6    2 applicationLength a, 1..256
 *   8    2 issuerLength   c, 1..2048
 *  10    6 reserved       zero
 *  16    8 issuedMs       since 1970
 *  24    8 expiryMs       since 1970; the token is refused from this time on
 *  32   16 nonce          random, makes each token unique
 *  48   91 publicKey      SubjectPublicKeyInfo of P-256
 * 139    u user           ASCII
 *        a application    ASCII
 *        c issuer         DER certificate of the coordinator
 *          signature      the rest, 1..72 bytes: of the issuer over {@link #LABEL} and all bytes
 *                         before it
 * </pre>
 *
 * @param nonce 16 bytes
 * @param publicKey 91 bytes
 * @param issuer DER
 */
record ApplicationToken(
    String user,
    String application,
    long issuedMs,
    long expiryMs,
    ByteString nonce,
    ByteString publicKey,
    ByteString issuer) {
  static final int MAGIC = 'S' | 'L' << 8 | 'T' << 16 | 'K' << 24;
  static final int VERSION = 2;
  static final int NONCE_LENGTH = 16;
  private static final int NONCE_AT = 32;
  private static final int KEY_AT = NONCE_AT + NONCE_LENGTH;
  static final int FIXED_LENGTH = KEY_AT + ApplicationKey.PUBLIC_LENGTH;
  static final int MAX_USER = UserNames.MAX_LENGTH;
  static final int MAX_APPLICATION = UserNames.MAX_APPLICATION_LENGTH;
  static final String LABEL = "sluice token v2";

  /** Maximum length of a token in bytes. */
  static final int MAX_LENGTH =
      FIXED_LENGTH
          + MAX_USER
          + MAX_APPLICATION
          + ProcessCertificate.MAX_LENGTH
          + Signing.MAX_LENGTH;

  ApplicationToken {
    check("user", user, MAX_USER);
    check("application", application, MAX_APPLICATION);
    if (nonce.size() != NONCE_LENGTH) {
      throw new IllegalArgumentException("nonce: expected " + NONCE_LENGTH + " bytes");
    }
    if (!ApplicationKey.isPublicKey(publicKey)) {
      throw new IllegalArgumentException("public key: expected a key of P-256");
    }
    if (issuer.isEmpty() || issuer.size() > ProcessCertificate.MAX_LENGTH) {
      throw new IllegalArgumentException(
          "issuer: expected a certificate of at most " + ProcessCertificate.MAX_LENGTH + " bytes");
    }
  }

  private static void check(String what, String text, int maxLength) {
    if (text.isEmpty()
        || text.length() > maxLength
        || text.chars().anyMatch(c -> c <= ' ' || c > '~')) {
      throw new IllegalArgumentException(
          what + ": expected 1 to " + maxLength + " visible ASCII characters");
    }
  }

  /** A token with the signature of its issuer. */
  byte[] signedBy(Identity identity) {
    byte[] body = body();
    byte[] signature = identity.sign(LABEL, body);
    return ByteBuffer.allocate(body.length + signature.length).put(body).put(signature).array();
  }

  byte[] body() {
    int length = FIXED_LENGTH + user.length() + application.length() + issuer.size();
    ByteBuffer bytes = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(MAGIC).put((byte) VERSION).put((byte) user.length());
    bytes.putShort((short) application.length()).putShort((short) issuer.size());
    bytes.putShort((short) 0).putInt(0);
    bytes.putLong(issuedMs).putLong(expiryMs);
    bytes.put(nonce.asReadOnlyByteBuffer()).put(publicKey.asReadOnlyByteBuffer());
    bytes.put(ascii(user)).put(ascii(application)).put(issuer.asReadOnlyByteBuffer());
    return bytes.array();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /**
   * A decoded token, whose signature is not verified yet.
   *
   * @param body the signed bytes
   * @param signature the bytes after them
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  record Signed(ApplicationToken token, byte[] body, byte[] signature) {}

  /**
   * Decodes a token. Its fields are trusted only after its signature was verified.
   *
   * @throws SluiceException DENIED if the bytes are not a token
   */
  static Signed fromBytes(byte[] bytes) throws SluiceException {
    if (bytes.length <= FIXED_LENGTH || bytes.length > MAX_LENGTH) {
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
    int userLength = in.get() & 0xff;
    int applicationLength = in.getShort() & 0xffff;
    int issuerLength = in.getShort() & 0xffff;
    if ((in.getShort() | in.getInt()) != 0) {
      throw malformed("reserved bytes are set");
    }
    int bodyLength = FIXED_LENGTH + userLength + applicationLength + issuerLength;
    int signatureLength = bytes.length - bodyLength;
    if (signatureLength < 1 || signatureLength > Signing.MAX_LENGTH) {
      throw malformed("lengths do not match");
    }
    long issuedMs = in.getLong();
    long expiryMs = in.getLong();
    try {
      return new Signed(
          new ApplicationToken(
              text(bytes, FIXED_LENGTH, userLength),
              text(bytes, FIXED_LENGTH + userLength, applicationLength),
              issuedMs,
              expiryMs,
              ByteString.copyFrom(bytes, NONCE_AT, NONCE_LENGTH),
              ByteString.copyFrom(bytes, KEY_AT, ApplicationKey.PUBLIC_LENGTH),
              ByteString.copyFrom(bytes, bodyLength - issuerLength, issuerLength)),
          Arrays.copyOf(bytes, bodyLength),
          Arrays.copyOfRange(bytes, bodyLength, bytes.length));
    } catch (IllegalArgumentException e) {
      throw new SluiceException(StatusCode.DENIED, "token: " + e.getMessage(), e);
    }
  }

  private static String text(byte[] bytes, int at, int length) {
    // A byte beyond ASCII becomes a character that the constructor refuses.
    return new String(bytes, at, length, StandardCharsets.ISO_8859_1);
  }

  private static SluiceException malformed(String why) {
    return new SluiceException(StatusCode.DENIED, "token is malformed: " + why);
  }
}
