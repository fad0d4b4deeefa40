package io.sluice.common.auth;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.util.Arrays;

/**
 * Credential of an application's processes: a token and its key. Passed from driver to tasks over
 * protected channels of the engine only; never printed. Immutable.
 */
public final class ApplicationCredential {
  private static final byte VERSION = 1;

  private final byte[] tokenBytes;
  private final ApplicationToken token;
  private final byte[] key;

  /**
   * @param tokenBytes ownership is transferred
   * @param key ownership is transferred
   * @throws SluiceException DENIED if the bytes are not a token
   */
  ApplicationCredential(byte[] tokenBytes, byte[] key) throws SluiceException {
    if (key.length != Hmac.LENGTH) {
      throw new SluiceException(StatusCode.DENIED, "token: key of " + key.length + " bytes");
    }
    this.tokenBytes = tokenBytes;
    this.token = ApplicationToken.fromBytes(tokenBytes);
    this.key = key;
  }

  /** Decodes the result of {@link #toBytes}. */
  public static ApplicationCredential fromBytes(byte[] bytes) throws SluiceException {
    if (bytes.length < 1 + Hmac.LENGTH || bytes[0] != VERSION) {
      throw new SluiceException(
          StatusCode.BAD_MESSAGE, "not a credential of this version of Sluice");
    }
    return new ApplicationCredential(
        Arrays.copyOfRange(bytes, 1 + Hmac.LENGTH, bytes.length),
        Arrays.copyOfRange(bytes, 1, 1 + Hmac.LENGTH));
  }

  /** Encoded form, which is secret: 1 byte version (1), 32 bytes key, the token. */
  public byte[] toBytes() {
    byte[] bytes = new byte[1 + Hmac.LENGTH + tokenBytes.length];
    bytes[0] = VERSION;
    System.arraycopy(key, 0, bytes, 1, Hmac.LENGTH);
    System.arraycopy(tokenBytes, 0, bytes, 1 + Hmac.LENGTH, tokenBytes.length);
    return bytes;
  }

  public String application() {
    return token.application();
  }

  public String user() {
    return token.user();
  }

  /** Time of issue in milliseconds since 1970. */
  public long issuedMs() {
    return token.issuedMs();
  }

  /**
   * Whether a connection with this credential should be replaced by one with a newer credential:
   * this one had used up half of its lifetime when the newer one was issued. Depends on the clocks
   * of coordinators only.
   */
  public boolean shouldYieldTo(ApplicationCredential newer) {
    return newer.issuedMs() - issuedMs() > expiryMs() - newer.issuedMs();
  }

  /** Expiry in milliseconds since 1970. */
  public long expiryMs() {
    return token.expiryMs();
  }

  /** A copy of the token, which is not secret. */
  public byte[] tokenBytes() {
    return tokenBytes.clone();
  }

  /** HMAC with the token's key; {@code label} names the purpose of the result. */
  public byte[] mac(String label, byte[]... parts) {
    return Hmac.of(key, label, parts);
  }

  byte[] key() {
    return key;
  }

  @Override
  public String toString() {
    return "credential of " + token.application() + " until " + token.expiryMs();
  }
}
