package io.sluice.client.security;

import io.sluice.common.auth.UserNames;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.tls.TlsConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * User and TLS settings of a driver.
 *
 * @param user user name in the cluster; empty: the operating-system user
 * @param secretFile file with the user's secret; if empty, {@link ClientIdentity#SECRET_VARIABLE}
 *     is read
 */
public record ClientSecurityConfig(
    Optional<String> user, Optional<Path> secretFile, TlsConfig tls) {
  /** No authentication and no TLS. */
  public static final ClientSecurityConfig NONE =
      new ClientSecurityConfig(Optional.empty(), Optional.empty(), TlsConfig.OFF);

  static final ConfigKey<String> USER =
      ConfigKey.string("rss.security.user")
          .check(UserNames::isName, UserNames.EXPECTED)
          .defaultText("the operating-system user")
          .doc(
              "User name of the job in a cluster with authentication. Set it if it differs from the"
                  + " operating-system user.")
          .build();
  static final ConfigKey<String> SECRET_FILE =
      ConfigKey.string("rss.security.user.secret.file")
          .check(path -> !path.isEmpty(), "a path")
          .doc(
              "Path of the file with the user's secret, which only the driver reads; tasks get a"
                  + " token of their application. The environment variable RSS_USER_SECRET is"
                  + " read if this key is not set. Set one of the two if the cluster requires"
                  + " authentication.")
          .build();

  /** The keys of this record. */
  public static final List<ConfigKey<?>> KEYS =
      Stream.concat(Stream.of(USER, SECRET_FILE), TlsConfig.KEYS.stream()).toList();

  public static ClientSecurityConfig from(ConfigSet set) {
    return new ClientSecurityConfig(
        set.find(USER), set.findPath(SECRET_FILE), TlsConfig.ofClient(set));
  }
}
