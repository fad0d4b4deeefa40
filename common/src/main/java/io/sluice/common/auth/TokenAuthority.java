package io.sluice.common.auth;

import io.sluice.common.error.PeerText;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.util.function.Supplier;

/** Issues and verifies tokens with the cluster's secret. Thread-safe. */
public final class TokenAuthority {
  private static final String LABEL = "sluice token v1";

  private final Supplier<ClusterKeys> keys;
  private final Revocations revocations;
  private final Clock clock;
  private final SecureRandom random;

  /** Without revocations. */
  public TokenAuthority(Supplier<ClusterKeys> keys, Clock clock, SecureRandom random) {
    this(keys, new Revocations(clock), clock, random);
  }

  /**
   * @param keys read on each use, so that a changed file takes effect at once
   */
  public TokenAuthority(
      Supplier<ClusterKeys> keys, Revocations revocations, Clock clock, SecureRandom random) {
    this.keys = keys;
    this.revocations = revocations;
    this.clock = clock;
    this.random = random;
  }

  /**
   * A verified token. Its fields are trusted once the peer has proved that it knows the token's
   * key.
   */
  public static final class Verified {
    private final ApplicationToken token;
    private final byte[] key;

    private Verified(ApplicationToken token, byte[] key) {
      this.token = token;
      this.key = key;
    }

    ApplicationToken token() {
      return token;
    }

    byte[] key() {
      return key;
    }

    /** The token's application. */
    public String application() {
      return token.application();
    }

    /** HMAC with the token's key; {@code label} names the purpose of the result. */
    public byte[] mac(String label, byte[]... parts) {
      return Hmac.of(key, label, parts);
    }

    @Override
    public String toString() {
      return token.toString();
    }
  }

  /** Issues a token for an application of a user, with its key. */
  public ApplicationCredential issue(String application, String user, long lifetimeMs) {
    ClusterKeys.Key key = keys.get().signing();
    long nowMs = clock.millis();
    byte[] token =
        new ApplicationToken(
                key.id(),
                user,
                application,
                nowMs,
                nowMs + lifetimeMs,
                random.nextLong(),
                random.nextLong())
            .toBytes();
    try {
      return new ApplicationCredential(token, Hmac.of(key.secret(), LABEL, token));
    } catch (SluiceException e) {
      throw new IllegalStateException("internal error: a new token is not valid", e);
    }
  }

  /**
   * Decodes a token and derives its key.
   *
   * @throws SluiceException DENIED if the token is malformed, of another cluster, expired or
   *     revoked
   */
  public Verified verify(byte[] bytes) throws SluiceException {
    ApplicationToken token = ApplicationToken.fromBytes(bytes);
    ClusterKeys.Key key =
        keys.get()
            .find(token.keyId())
            .orElseThrow(
                () ->
                    new SluiceException(
                        StatusCode.DENIED,
                        "token was issued with cluster key "
                            + PeerText.quoted(token.keyId())
                            + ", which is not in use"));
    if (hasExpired(token)) {
      throw new SluiceException(StatusCode.DENIED, expired(token));
    }
    checkRevocation(token);
    return new Verified(token, Hmac.of(key.secret(), LABEL, bytes));
  }

  /**
   * Checks a token that was verified before.
   *
   * @throws SluiceException TOKEN_EXPIRED; DENIED if the token was revoked
   */
  public void check(Verified verified) throws SluiceException {
    if (hasExpired(verified.token)) {
      throw new SluiceException(StatusCode.TOKEN_EXPIRED, expired(verified.token));
    }
    checkRevocation(verified.token);
  }

  private boolean hasExpired(ApplicationToken token) {
    return clock.millis() >= token.expiryMs();
  }

  private static String expired(ApplicationToken token) {
    return "token of application " + PeerText.quoted(token.application()) + " has expired";
  }

  private void checkRevocation(ApplicationToken token) throws SluiceException {
    Revocation revocation =
        revocations.refusing(token.user(), token.application(), token.issuedMs());
    if (revocation != null) {
      throw new SluiceException(
          StatusCode.DENIED,
          "token of application "
              + PeerText.quoted(token.application())
              + " is revoked: an operator revoked the tokens of "
              + (revocation.subject().kind() == Revocation.Kind.USER
                  ? "user " + PeerText.quoted(token.user())
                  : "this application")
              + " issued until "
              + Instant.ofEpochMilli(revocation.revokedAtMs()));
    }
  }

  /** The current keys of the cluster. */
  ClusterKeys keys() {
    return keys.get();
  }
}
