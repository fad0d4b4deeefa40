package io.sluice.common.auth;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSchema;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.tls.TlsConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Authentication and encryption of a coordinator or server.
 *
 * @param required whether callers must authenticate
 * @param authorityFile certificates of the authorities of the cluster
 * @param identityFile private key and certificate of this process
 * @param tokenLifetimeMs validity of an application's token
 * @param openReads whether anonymous callers may read the state of servers and applications
 */
public record SecurityConfig(
    boolean required,
    Optional<Path> authorityFile,
    Optional<Path> identityFile,
    Optional<Path> usersFile,
    long tokenLifetimeMs,
    boolean openReads,
    TlsConfig tls) {
  /** Without any security. */
  public static final SecurityConfig OFF =
      new SecurityConfig(
          false, Optional.empty(), Optional.empty(), Optional.empty(), 1, true, TlsConfig.OFF);

  private static final long HOUR_MS = 3_600_000;

  static final ConfigKey<Boolean> REQUIRED =
      ConfigKey.bool("rss.security.authentication.enabled")
          .defaultValue(false)
          .doc(
              "Whether callers and data connections must authenticate (security.md). With an"
                  + " identity and `false`, anonymous callers are served as well. Set it to `true`"
                  + " in production, once all callers have secrets.")
          .build();
  static final ConfigKey<String> AUTHORITY_FILE =
      ConfigKey.string("rss.security.authority.file")
          .check(path -> !path.isEmpty(), "a path")
          .doc(
              "PEM file with the certificates of the authorities that sign the identities of"
                  + " coordinators and servers, reloaded when it changes: 1 to 8, several while"
                  + " one replaces another. Set it together with rss.security.identity.file. With"
                  + " TLS it is also the default of rss.security.tls.trust.file.")
          .build();
  static final ConfigKey<String> IDENTITY_FILE =
      ConfigKey.string("rss.security.identity.file")
          .check(path -> !path.isEmpty(), "a path")
          .doc(
              "PEM file with the identity of this coordinator or server, reloaded when it changes:"
                  + " a private key (PKCS#8, P-256) and its certificate, signed by an authority of"
                  + " rss.security.authority.file. Set it to enable authentication. With TLS it is"
                  + " also the default of rss.security.tls.certificate.file and"
                  + " rss.security.tls.key.file.")
          .build();
  static final ConfigKey<String> USERS_FILE =
      ConfigKey.string("rss.security.users.file")
          .check(path -> !path.isEmpty(), "a path")
          .doc(
              "File of users, reloaded when it changes: name, role (`user`, `reader`, `admin`) and"
                  + " verifier of the secret (security.md), one user per line; the verifier `-` is"
                  + " for a user with a certificate."
                  + " Set it on coordinators that require authentication, and on servers that"
                  + " administrators call directly.")
          .build();
  static final ConfigKey<Boolean> OPEN_READS =
      ConfigKey.bool("rss.security.anonymous.read.enabled")
          .defaultValue(false)
          .doc(
              "Whether anonymous callers may read the state of servers and applications; probes"
                  + " and metrics never need authentication. Set it to `true` if the names of jobs"
                  + " and users are not confidential.")
          .build();

  /** Key of coordinators only. */
  public static final ConfigKey<Long> TOKEN_LIFETIME =
      ConfigKey.durationMs("rss.security.token.lifetime")
          .defaultValue(72 * HOUR_MS)
          .atLeast(1_000L)
          .doc(
              "Validity of the token with which an application opens connections. Drivers get a"
                  + " new token at each renewal of the lease, tasks get the newest token at their"
                  + " launch. Raise it beyond the duration of the longest stage.")
          .build();

  /** Keys of both coordinators and servers. */
  public static final List<ConfigKey<?>> KEYS =
      Stream.concat(
              Stream.of(
                  REQUIRED,
                  AUTHORITY_FILE,
                  IDENTITY_FILE,
                  USERS_FILE,
                  OPEN_READS,
                  TlsConfig.CLIENT_CERTIFICATES),
              TlsConfig.KEYS.stream())
          .toList();

  /** Refuses secrets in the configuration, where other users could read them. */
  public static ConfigSchema.Builder withoutSecrets(ConfigSchema.Builder schema) {
    return schema.removed(
        "rss.security.user.secret",
        "secrets are not allowed in the configuration: set rss.security.user.secret.file or the"
            + " environment variable RSS_USER_SECRET");
  }

  public static SecurityConfig from(ConfigSet set, long tokenLifetimeMs) {
    Optional<Path> authority = set.findPath(AUTHORITY_FILE);
    Optional<Path> identity = set.findPath(IDENTITY_FILE);
    return new SecurityConfig(
        set.get(REQUIRED),
        authority,
        identity,
        set.findPath(USERS_FILE),
        tokenLifetimeMs,
        set.get(OPEN_READS),
        TlsConfig.ofServer(set).orFiles(identity, authority));
  }
}
