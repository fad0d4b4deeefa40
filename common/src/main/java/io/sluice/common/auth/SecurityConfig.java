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
 * How a coordinator or server knows who calls.
 *
 * @param required whether callers have to prove who they are
 * @param secretFile the cluster's keys; without it {@link ClusterSecurity#SECRET_VARIABLE} may have
 *     them
 * @param tokenLifetimeMs of an application's token
 * @param openReads whether everybody may look at servers and applications
 */
public record SecurityConfig(
    boolean required,
    Optional<Path> secretFile,
    Optional<Path> usersFile,
    long tokenLifetimeMs,
    boolean openReads,
    TlsConfig tls) {
  /** Without any security. */
  public static final SecurityConfig OFF =
      new SecurityConfig(false, Optional.empty(), Optional.empty(), 1, true, TlsConfig.OFF);

  private static final long HOUR_MS = 3_600_000;

  static final ConfigKey<Boolean> REQUIRED =
      ConfigKey.bool("rss.security.authentication.enabled")
          .defaultValue(false)
          .doc(
              "Whether callers and data connections must prove who they are (security.md). With a"
                  + " cluster secret and `false`, callers without proof are served as well. Set it to"
                  + " `true` in production, once all callers have secrets.")
          .build();
  static final ConfigKey<String> SECRET_FILE =
      ConfigKey.string("rss.security.cluster.secret.file")
          .check(path -> !path.isEmpty(), "a path")
          .doc(
              "File with the key that coordinators and servers share, or two during a change: an"
                  + " id and the Base64 form of at least 32 random bytes, one key a line; the first one"
                  + " signs. Read again when it changes. The environment variable RSS_CLUSTER_SECRET"
                  + " may hold the same text instead. Set one of the two for authentication.")
          .build();
  static final ConfigKey<String> USERS_FILE =
      ConfigKey.string("rss.security.users.file")
          .check(path -> !path.isEmpty(), "a path")
          .doc(
              "File of callers: name, role (`user`, `reader`, `admin`) and secret, one a line;"
                  + " the secret `-` is for a caller with a certificate. Read again when it changes."
                  + " Set it on coordinators that require authentication, and on servers that"
                  + " administrators call directly.")
          .build();
  static final ConfigKey<Boolean> OPEN_READS =
      ConfigKey.bool("rss.security.anonymous.read.enabled")
          .defaultValue(false)
          .doc(
              "Whether calls that only read the state of servers and applications need no proof;"
                  + " probes and metrics never need one. Set it if everybody may see the names of jobs"
                  + " and users.")
          .build();

  /** Of a coordinator only. */
  public static final ConfigKey<Long> TOKEN_LIFETIME =
      ConfigKey.durationMs("rss.security.token.lifetime")
          .defaultValue(72 * HOUR_MS)
          .atLeast(1_000L)
          .doc(
              "How long the token of an application opens connections. Drivers get a new one at"
                  + " each renewal of the lease, tasks the newest at their launch. Raise it beyond the"
                  + " longest stage.")
          .build();

  /** The keys that coordinators and servers have in common. */
  public static final List<ConfigKey<?>> KEYS =
      Stream.concat(
              Stream.of(
                  REQUIRED, SECRET_FILE, USERS_FILE, OPEN_READS, TlsConfig.CLIENT_CERTIFICATES),
              TlsConfig.KEYS.stream())
          .toList();

  /** Refuses secrets where everybody could see them. */
  public static ConfigSchema.Builder withoutSecrets(ConfigSchema.Builder schema) {
    return schema
        .removed(
            "rss.security.cluster.secret",
            "a secret is never written here: give rss.security.cluster.secret.file or the"
                + " environment variable RSS_CLUSTER_SECRET")
        .removed(
            "rss.security.user.secret",
            "a secret is never written here: give rss.security.user.secret.file or the"
                + " environment variable RSS_USER_SECRET");
  }

  public static SecurityConfig from(ConfigSet set, long tokenLifetimeMs) {
    return new SecurityConfig(
        set.get(REQUIRED),
        set.findPath(SECRET_FILE),
        set.findPath(USERS_FILE),
        tokenLifetimeMs,
        set.get(OPEN_READS),
        TlsConfig.ofServer(set));
  }
}
