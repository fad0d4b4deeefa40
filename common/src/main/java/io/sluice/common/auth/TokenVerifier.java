package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import io.sluice.common.error.PeerText;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Verifies tokens and the signatures of their owners. Remembers a bounded number of tokens that it
 * has verified. Thread-safe.
 */
public final class TokenVerifier {
  /** Verified tokens that are remembered, each of at most some 8 KB. */
  private static final int MAX_VERIFIED = 1024;

  private final OwnIdentity process;
  private final Revocations revocations;

  /** By the bytes of the token; guarded by itself. */
  private final Map<ByteString, Remembered> verified =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<ByteString, Remembered> eldest) {
          return size() > MAX_VERIFIED;
        }
      };

  /** Authorities are compared: a token is verified again after they have changed. */
  private record Remembered(Verified token, Authorities authorities) {}

  public TokenVerifier(OwnIdentity process, Revocations revocations) {
    this.process = process;
    this.revocations = revocations;
  }

  /** Process that verifies the tokens. */
  public OwnIdentity process() {
    return process;
  }

  /** A verified token. Its fields are trusted once the peer has proved that it owns the key. */
  public static final class Verified {
    private final ApplicationToken token;
    private final PublicKey key;

    private Verified(ApplicationToken token, PublicKey key) {
      this.token = token;
      this.key = key;
    }

    public String application() {
      return token.application();
    }

    public String user() {
      return token.user();
    }

    /** Whether the owner of the token has signed; {@code label} names the purpose. */
    public boolean signed(byte[] signature, String label, byte[]... parts) {
      return Signing.verify(key, signature, label, parts);
    }

    @Override
    public String toString() {
      return "token of " + PeerText.quoted(token.application());
    }
  }

  /**
   * Decodes a token and checks its expiry, which takes microseconds. Nothing of it is trusted.
   *
   * @return the application
   * @throws SluiceException DENIED if the token is malformed or has expired
   */
  public String claimedApplication(ByteString bytes) throws SluiceException {
    ApplicationToken token = ApplicationToken.fromBytes(bytes.toByteArray()).token();
    checkExpiry(token);
    return token.application();
  }

  /**
   * Verifies a token, which takes about a millisecond for a new one.
   *
   * @throws SluiceException DENIED if the token is malformed, not signed by a coordinator of this
   *     cluster, or has expired
   */
  public Verified verify(ByteString bytes) throws SluiceException {
    Authorities authorities = process.authorities();
    Remembered found;
    synchronized (verified) {
      found = verified.get(bytes);
    }
    if (found == null || !found.authorities.equals(authorities)) {
      found = new Remembered(verifySignature(bytes), authorities);
      synchronized (verified) {
        verified.put(bytes, found);
      }
    }
    checkExpiry(found.token.token);
    checkRevocation(found.token.token);
    checkIssuer(found.token.token);
    return found.token;
  }

  /**
   * Checks a token that was verified before.
   *
   * @throws SluiceException TOKEN_EXPIRED; DENIED if the token was revoked
   */
  public void check(Verified verified) throws SluiceException {
    if (hasExpired(verified.token)) {
      throw new SluiceException(StatusCode.TOKEN_EXPIRED, text(verified.token) + " has expired");
    }
    checkRevocation(verified.token);
  }

  private Verified verifySignature(ByteString bytes) throws SluiceException {
    ApplicationToken.Signed signed = ApplicationToken.fromBytes(bytes.toByteArray());
    ApplicationToken token = signed.token();
    checkExpiry(token);
    ProcessCertificate issuer = checkIssuer(token);
    if (!Signing.verify(
        issuer.certificate().getPublicKey(),
        signed.signature(),
        ApplicationToken.LABEL,
        signed.body())) {
      throw denied(token, "is not signed by " + issuer);
    }
    try {
      return new Verified(token, ApplicationKey.decodePublic(token.publicKey().toByteArray()));
    } catch (GeneralSecurityException e) {
      throw new SluiceException(StatusCode.DENIED, "token: its public key is not valid", e);
    }
  }

  private ProcessCertificate checkIssuer(ApplicationToken token) throws SluiceException {
    ProcessCertificate issuer = process.verify(token.issuer());
    if (issuer.role() != ProcessRole.COORDINATOR) {
      throw denied(token, "was issued by " + issuer + ", which is not a coordinator");
    }
    return issuer;
  }

  private void checkExpiry(ApplicationToken token) throws SluiceException {
    if (hasExpired(token)) {
      throw denied(token, "has expired");
    }
  }

  private boolean hasExpired(ApplicationToken token) {
    return process.nowMs() >= token.expiryMs();
  }

  private void checkRevocation(ApplicationToken token) throws SluiceException {
    Revocation revocation =
        revocations.refusing(token.user(), token.application(), token.issuedMs());
    if (revocation != null) {
      throw denied(
          token,
          "is revoked: an operator revoked the tokens of "
              + (revocation.subject().kind() == Revocation.Kind.USER
                  ? "user " + PeerText.quoted(token.user())
                  : "this application")
              + " issued until "
              + Instant.ofEpochMilli(revocation.revokedAtMs()));
    }
  }

  private static String text(ApplicationToken token) {
    return "token of application " + PeerText.quoted(token.application());
  }

  private static SluiceException denied(ApplicationToken token, String why) {
    return new SluiceException(StatusCode.DENIED, text(token) + " " + why);
  }
}
