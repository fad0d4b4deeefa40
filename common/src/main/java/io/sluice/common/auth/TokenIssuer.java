package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import java.security.SecureRandom;

/** Issues tokens with the identity of a coordinator. Thread-safe. */
public final class TokenIssuer {
  private final OwnIdentity process;
  private final SecureRandom random;

  public TokenIssuer(OwnIdentity process, SecureRandom random) {
    this.process = process;
    this.random = random;
  }

  /**
   * Issues a token, which expires with the certificate of this process at the latest.
   *
   * @param publicKey see {@link ApplicationKey#isPublicKey}
   */
  public byte[] issue(String application, String user, ByteString publicKey, long lifetimeMs) {
    Identity identity = process.identity();
    long nowMs = process.nowMs();
    byte[] nonce = new byte[ApplicationToken.NONCE_LENGTH];
    random.nextBytes(nonce);
    return new ApplicationToken(
            user,
            application,
            nowMs,
            Math.min(nowMs + lifetimeMs, identity.certificate().expiryMs()),
            ByteString.copyFrom(nonce),
            publicKey,
            identity.certificate().der())
        .signedBy(identity);
  }
}
