package io.sluice.common.auth;

import io.sluice.proto.TokenGrant;
import java.security.SecureRandom;
import java.util.Optional;

/** Grants tokens for applications to their authenticated owners. Thread-safe. */
public final class TokenGrants {
  /** For a coordinator without a cluster secret. */
  public static final TokenGrants NONE = new TokenGrants(null, 0, null);

  private final TokenAuthority tokens;
  private final long lifetimeMs;
  private final SecureRandom random;

  public TokenGrants(TokenAuthority tokens, long lifetimeMs, SecureRandom random) {
    this.tokens = tokens;
    this.lifetimeMs = lifetimeMs;
    this.random = random;
  }

  /** A token for an application that the caller owns; empty for other callers. */
  public Optional<TokenGrant> grant(Caller caller, String application) {
    if (tokens == null || caller.kind() != Caller.Kind.USER || !caller.owns(application)) {
      return Optional.empty();
    }
    ApplicationCredential credential = tokens.issue(application, caller.name(), lifetimeMs);
    return Optional.of(
        caller
            .provedBy()
            .exchangeKey()
            .map(key -> TokenSeal.seal(credential, caller.provedBy().nonce(), key, random))
            .orElseGet(() -> TokenSeal.clear(credential)));
  }
}
