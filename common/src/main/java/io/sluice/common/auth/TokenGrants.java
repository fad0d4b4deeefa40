package io.sluice.common.auth;

import io.sluice.proto.TokenGrant;
import java.security.SecureRandom;
import java.util.Optional;

/** Gives tokens to those who have proved whose an application is. Thread-safe. */
public final class TokenGrants {
  /** Of a coordinator without a secret. */
  public static final TokenGrants NONE = new TokenGrants(null, 0, null);

  private final TokenAuthority tokens;
  private final long lifetimeMs;
  private final SecureRandom random;

  public TokenGrants(TokenAuthority tokens, long lifetimeMs, SecureRandom random) {
    this.tokens = tokens;
    this.lifetimeMs = lifetimeMs;
    this.random = random;
  }

  /** A token for an application that is the caller's; empty for anybody else. */
  public Optional<TokenGrant> grant(Caller caller, String application) {
    if (tokens == null || caller.kind() != Caller.Kind.USER || !caller.owns(application)) {
      return Optional.empty();
    }
    ApplicationCredential credential = tokens.issue(application, caller.name(), lifetimeMs);
    return Optional.of(
        caller
            .provedBy()
            .key()
            .map(key -> TokenSeal.seal(credential, key, random))
            .orElseGet(() -> TokenSeal.clear(credential)));
  }
}
