package io.sluice.cli.control;

import io.grpc.ClientInterceptor;
import io.sluice.client.security.ClientIdentity;
import io.sluice.client.security.ClientSecurityConfig;
import io.sluice.client.security.ClientTls;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.tls.TlsConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Who uses the command line, as its environment says: {@code RSS_USER}, or else the
 * operating-system user, with the secret in {@code RSS_USER_SECRET_FILE} or {@code
 * RSS_USER_SECRET}. There are no options for it: every user of a host sees those.
 */
final class ControlIdentity {
  private static final String USER_VARIABLE = "RSS_USER";
  private static final String FILE_VARIABLE = "RSS_USER_SECRET_FILE";

  private static final String TRUST_VARIABLE = "RSS_TLS_TRUST_FILE";
  private static final String PEER_VARIABLE = "RSS_TLS_PEER_NAME";

  private ControlIdentity() {}

  /** Encrypted if the environment names authorities to trust. */
  static ClientTls tls(Map<String, String> environment) {
    Optional<Path> trust = Optional.ofNullable(environment.get(TRUST_VARIABLE)).map(Path::of);
    return ClientTls.of(
        new TlsConfig(
            trust.isPresent(),
            Optional.empty(),
            Optional.empty(),
            trust,
            TlsConfig.ClientCertificates.NONE,
            Optional.ofNullable(environment.get(PEER_VARIABLE))),
        System::nanoTime);
  }

  /**
   * What to prove calls with; nothing without a secret.
   *
   * @throws IOException one line: why the secret cannot be used
   */
  static List<ClientInterceptor> proofs(Map<String, String> environment, String systemUser)
      throws IOException {
    return ClientIdentity.ofDriver(
            new ClientSecurityConfig(
                Optional.ofNullable(environment.get(USER_VARIABLE)),
                Optional.ofNullable(environment.get(FILE_VARIABLE)).map(Path::of),
                TlsConfig.OFF),
            systemUser,
            environment,
            new ApplicationCredentials())
        .userProofs();
  }
}
