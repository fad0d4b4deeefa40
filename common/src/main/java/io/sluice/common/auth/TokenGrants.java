package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.TokenGrant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Grants tokens for applications to their authenticated owners. Thread-safe. */
public final class TokenGrants {
  /** For a coordinator without an identity. */
  public static final TokenGrants NONE = new TokenGrants(null, null, 0);

  private static final String LABEL = "sluice grant v1";

  /** User in the tokens of servers that copy an application's data to another server. */
  private static final String SERVER_USER = "sluice-server";

  /** Time in which a leaving server connects to the target of a move. */
  private static final long MOVE_MS = TimeUnit.MINUTES.toMillis(10);

  private final TokenIssuer issuer;
  private final OwnIdentity process;
  private final long lifetimeMs;

  /**
   * @param process identity of this coordinator
   */
  TokenGrants(TokenIssuer issuer, OwnIdentity process, long lifetimeMs) {
    this.issuer = issuer;
    this.process = process;
    this.lifetimeMs = lifetimeMs;
  }

  /**
   * A token for an application that the caller owns; empty for other callers, and without a public
   * key.
   */
  public Optional<TokenGrant> grant(Caller caller, String application, ByteString publicKey) {
    if (issuer == null
        || caller.kind() != Caller.Kind.USER
        || !caller.owns(application)
        || !ApplicationKey.isPublicKey(publicKey)) {
      return Optional.empty();
    }
    ByteString token =
        ByteString.copyFrom(issuer.issue(application, caller.name(), publicKey, lifetimeMs));
    TokenGrant.Builder grant =
        TokenGrant.newBuilder().setToken(token).addAllAuthorities(process.authorities().encoded());
    Optional<byte[]> exchangeKey = caller.provedBy().exchangeKey();
    if (exchangeKey.isPresent()) {
      grant.setExchange(caller.provedBy().nonce());
      grant.setMac(ByteString.copyFrom(mac(exchangeKey.get(), grant.build())));
    }
    return Optional.of(grant.build());
  }

  /** A token for a server that copies an application's data to another server. */
  public Optional<ByteString> grantMove(Caller caller, String application) {
    if (issuer == null || caller.kind() != Caller.Kind.SERVER) {
      return Optional.empty();
    }
    return caller
        .provedBy()
        .certificate()
        .map(
            certificate ->
                ByteString.copyFrom(
                    issuer.issue(
                        application,
                        SERVER_USER,
                        ByteString.copyFrom(certificate.certificate().getPublicKey().getEncoded()),
                        MOVE_MS)));
  }

  private static byte[] mac(byte[] key, TokenGrant grant) {
    List<byte[]> parts = new ArrayList<>();
    parts.add(grant.getToken().toByteArray());
    grant.getAuthoritiesList().forEach(one -> parts.add(one.toByteArray()));
    return Hmac.of(key, LABEL, parts.toArray(byte[][]::new));
  }

  /**
   * Accepts a grant.
   *
   * @param key the key pair for which the token was requested
   * @param requester null for a user with a certificate, whose reply TLS protects
   * @throws SluiceException DENIED if it was not created for one of the requester's last calls, or
   *     for another key
   */
  public static ApplicationCredential open(
      TokenGrant grant, ApplicationKey key, UserCredential requester) throws SluiceException {
    if (grant.getAuthoritiesCount() > Authorities.MAX_CERTIFICATES) {
      throw new SluiceException(
          StatusCode.DENIED,
          "token grant: %d authorities, maximum %d"
              .formatted(grant.getAuthoritiesCount(), Authorities.MAX_CERTIFICATES));
    }
    if (requester != null) {
      Optional<byte[]> exchangeKey = requester.takeExchangeKey(grant.getExchange());
      if (exchangeKey.isEmpty()) {
        throw new SluiceException(
            StatusCode.DENIED, "token grant: does not belong to a call of this process");
      }
      if (!Hmac.same(mac(exchangeKey.get(), grant), grant.getMac().toByteArray())) {
        throw new SluiceException(
            StatusCode.DENIED,
            "token grant: not created for this call of this user; check the coordinator's"
                + " address");
      }
    }
    return ApplicationCredential.of(
        grant.getToken(),
        key,
        Authorities.ofEncoded(
            grant.getAuthoritiesList().stream().map(ByteString::toByteArray).toList()));
  }
}
