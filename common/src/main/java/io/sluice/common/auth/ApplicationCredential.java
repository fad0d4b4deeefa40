package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.util.ArrayList;
import java.util.List;

/**
 * Credential of an application's processes: a token, its private key, and the authorities with
 * which they verify servers. Passed from driver to tasks over protected channels of the engine
 * only; never printed. Immutable.
 */
public final class ApplicationCredential {
  private static final byte VERSION = 2;

  private final ByteString tokenBytes;
  private final ApplicationToken token;
  private final PrivateKey key;
  private final Authorities authorities;

  private ApplicationCredential(ByteString tokenBytes, PrivateKey key, Authorities authorities)
      throws SluiceException {
    this.tokenBytes = tokenBytes;
    this.token = ApplicationToken.fromBytes(tokenBytes.toByteArray()).token();
    this.key = key;
    this.authorities = authorities;
  }

  /**
   * For the owner of a key.
   *
   * @throws SluiceException DENIED if the bytes are not a token for this key
   */
  public static ApplicationCredential of(
      ByteString tokenBytes, ApplicationKey key, Authorities authorities) throws SluiceException {
    return new ApplicationCredential(tokenBytes, key.privateKey(), authorities)
        .requireKey(key.publicKey());
  }

  /**
   * For a process of the cluster, whose token is for the key of its identity.
   *
   * @throws SluiceException DENIED if the bytes are not a token for this key
   */
  static ApplicationCredential of(ByteString tokenBytes, OwnIdentity process)
      throws SluiceException {
    Identity identity = process.identity();
    return new ApplicationCredential(tokenBytes, identity.key(), process.authorities())
        .requireKey(identity.certificate().certificate().getPublicKey().getEncoded());
  }

  private ApplicationCredential requireKey(byte[] publicKey) throws SluiceException {
    if (!token.publicKey().equals(ByteString.copyFrom(publicKey))) {
      throw new SluiceException(StatusCode.DENIED, "the granted token is for another key");
    }
    return this;
  }

  /** Decodes the result of {@link #toBytes}. */
  public static ApplicationCredential fromBytes(byte[] bytes) throws SluiceException {
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    try {
      if (in.get() != VERSION) {
        throw malformed(null);
      }
      byte[] key = part(in);
      byte[] token = part(in);
      List<byte[]> authorities = new ArrayList<>();
      while (in.hasRemaining()) {
        authorities.add(part(in));
      }
      return new ApplicationCredential(
          ByteString.copyFrom(token),
          ApplicationKey.decodePrivate(key),
          Authorities.ofEncoded(authorities));
    } catch (BufferUnderflowException | GeneralSecurityException e) {
      throw malformed(e);
    }
  }

  private static byte[] part(ByteBuffer in) {
    int length = in.getShort() & 0xffff;
    if (length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] part = new byte[length];
    in.get(part);
    return part;
  }

  private static SluiceException malformed(Throwable cause) {
    return new SluiceException(
        StatusCode.BAD_MESSAGE, "not a credential of this version of Sluice", cause);
  }

  /**
   * Encoded form, which is secret: 1 byte version (2), then private key (PKCS#8), token, and each
   * authority (DER), each preceded by its length in 2 bytes, little-endian.
   */
  public byte[] toBytes() {
    List<byte[]> parts = new ArrayList<>();
    parts.add(key.getEncoded());
    parts.add(tokenBytes.toByteArray());
    authorities.encoded().forEach(one -> parts.add(one.toByteArray()));
    int length = 1 + parts.stream().mapToInt(part -> Short.BYTES + part.length).sum();
    ByteBuffer out = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN).put(VERSION);
    parts.forEach(part -> out.putShort((short) part.length).put(part));
    return out.array();
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

  /** The token, which is not secret. */
  public ByteString token() {
    return tokenBytes;
  }

  /** Signature with the token's key; {@code label} names its purpose. */
  public byte[] sign(String label, byte[]... parts) {
    return Signing.sign(key, label, parts);
  }

  /**
   * Verifies the certificate of a process of the cluster.
   *
   * @param host host at which this process has reached it
   * @param nowMs milliseconds since 1970
   * @throws SluiceException DENIED if it is not the valid certificate of such a process
   */
  public ProcessCertificate verify(ByteString der, ProcessRole role, String host, long nowMs)
      throws SluiceException {
    return authorities.verify(der, nowMs).require(role, host);
  }

  @Override
  public String toString() {
    return "credential of " + token.application() + " until " + token.expiryMs();
  }
}
