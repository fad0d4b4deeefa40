package io.sluice.client.security;

import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.tls.TlsConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Who a driver is.
 *
 * @param user of the cluster; empty: the operating-system user
 * @param secretFile the user's secret; without it {@link ClientIdentity#SECRET_VARIABLE} may have
 *     it
 */
public record ClientSecurityConfig(
    Optional<String> user, Optional<Path> secretFile, TlsConfig tls) {
  /** Proves nothing. */
  public static final ClientSecurityConfig NONE =
      new ClientSecurityConfig(Optional.empty(), Optional.empty(), TlsConfig.OFF);

  static final ConfigKey<String> USER =
      ConfigKey.string("rss.security.user")
          .check(io.sluice.common.auth.Users::isName, "1 to 64 letters, digits, - and _")
          .defaultText("the operating-system user")
          .doc(
              "Name by which a cluster with authentication knows the user of the job. Set it if"
                  + " it differs from the operating-system user.")
          .build();
  static final ConfigKey<String> SECRET_FILE =
      ConfigKey.string("rss.security.user.secret.file")
          .check(path -> !path.isEmpty(), "a path")
          .doc(
              "File with the secret of the user, read by the driver only; tasks get a token of"
                  + " their application. The environment variable RSS_USER_SECRET may hold the secret"
                  + " instead. Set one of the two if the cluster requires authentication.")
          .build();

  /** The keys that this record is made from. */
  public static final List<ConfigKey<?>> KEYS =
      Stream.concat(Stream.of(USER, SECRET_FILE), TlsConfig.KEYS.stream()).toList();

  public static ClientSecurityConfig from(ConfigSet set) {
    return new ClientSecurityConfig(
        set.find(USER), set.findPath(SECRET_FILE), TlsConfig.ofClient(set));
  }
}
