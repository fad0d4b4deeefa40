package io.sluice.cli.control;

import io.grpc.ClientInterceptor;
import io.sluice.client.security.ClientIdentity;
import io.sluice.client.security.ClientSecurityConfig;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.error.SluiceException;
import io.sluice.common.tls.ClientTls;
import io.sluice.common.tls.TlsConfig;
import io.sluice.proto.TokenGrant;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Who uses the command line, as its environment says: {@code RSS_USER}, or else the
 * operating-system user, with the secret in {@code RSS_USER_SECRET_FILE} or {@code
 * RSS_USER_SECRET}; and whom it trusts. There are no options for it: every user of a host sees
 * those. Thread-safe.
 */
public final class ControlIdentity {
  /** Who the caller is. */
  public static final String USER_VARIABLE = "RSS_USER";

  /** Names the file with the caller's secret. */
  public static final String FILE_VARIABLE = "RSS_USER_SECRET_FILE";

  /** Names the file with the authorities of coordinators and servers. */
  public static final String TRUST_VARIABLE = "RSS_TLS_TRUST_FILE";

  private static final String PEER_VARIABLE = "RSS_TLS_PEER_NAME";

  private final Map<String, String> environment;
  private final String systemUser;
  private final ApplicationCredentials credentials;
  private final ClientTls tls;
  private final ClientIdentity identity;
  private final String problem;

  private ControlIdentity(
      Map<String, String> environment, String systemUser, ApplicationCredentials credentials) {
    this.environment = environment;
    this.systemUser = systemUser;
    this.credentials = credentials;
    this.tls = tls(environment);
    ClientIdentity driver = ClientIdentity.ofTask(credentials);
    String found = null;
    try {
      driver = ClientIdentity.ofDriver(config(environment), systemUser, environment, credentials);
    } catch (IOException e) {
      found = e.getMessage();
    }
    this.identity = driver;
    this.problem = tls.problem().orElse(found);
  }

  /** As the environment of this process says. */
  public static ControlIdentity ofEnvironment() {
    return ofEnvironment(new ApplicationCredentials());
  }

  /**
   * As the environment of this process says.
   *
   * @param credentials of the application that the command works as; filled by {@link #learn}, or
   *     by whoever else registers the application
   */
  public static ControlIdentity ofEnvironment(ApplicationCredentials credentials) {
    return new ControlIdentity(System.getenv(), System.getProperty("user.name"), credentials);
  }

  /** As {@code environment} says. */
  public static ControlIdentity of(Map<String, String> environment, String systemUser) {
    return new ControlIdentity(Map.copyOf(environment), systemUser, new ApplicationCredentials());
  }

  /** The same user, as another application. */
  public ControlIdentity ofAnotherApplication() {
    return new ControlIdentity(environment, systemUser, new ApplicationCredentials());
  }

  /** Why this user cannot prove who it is, in one line. */
  public Optional<String> problem() {
    return Optional.ofNullable(problem);
  }

  /** Encrypted if the environment names authorities to trust. */
  public ClientTls tls() {
    return tls;
  }

  /** What data connections are proved with. */
  public ApplicationCredentials credentials() {
    return credentials;
  }

  /** As coordinators call the user. */
  public String user() {
    return environment.getOrDefault(USER_VARIABLE, systemUser);
  }

  /** What a fresh application has to be called: a cluster that knows users wants theirs first. */
  public String applicationName(String fresh) {
    return ClientIdentity.applicationName(config(environment), systemUser, environment, fresh);
  }

  /** Keeps the token that a coordinator granted, if it granted one. */
  public void learn(boolean granted, TokenGrant grant, String application) throws SluiceException {
    identity.learn(granted, grant, application);
  }

  /** What to prove calls with; nothing without a secret. */
  List<ClientInterceptor> userProofs() {
    return identity.userProofs();
  }

  /** What to prove calls of servers with: they may know the application, and not the user. */
  List<ClientInterceptor> serverProofs() {
    List<ClientInterceptor> proofs = identity.applicationProofs();
    return proofs.isEmpty() ? identity.userProofs() : proofs;
  }

  /** The same for a client that reads it from a configuration; secrets stay where they are. */
  public Map<String, String> clientSettings() {
    Map<String, String> settings = new HashMap<>();
    copy(USER_VARIABLE, settings, "rss.security.user");
    copy(FILE_VARIABLE, settings, "rss.security.user.secret.file");
    copy(TRUST_VARIABLE, settings, "rss.security.tls.trust.file");
    copy(PEER_VARIABLE, settings, "rss.security.tls.peer.name");
    settings.put(
        "rss.security.tls.enabled", Boolean.toString(environment.containsKey(TRUST_VARIABLE)));
    return settings;
  }

  private void copy(String variable, Map<String, String> settings, String key) {
    if (environment.containsKey(variable)) {
      settings.put(key, environment.get(variable));
    }
  }

  private static ClientSecurityConfig config(Map<String, String> environment) {
    return new ClientSecurityConfig(
        Optional.ofNullable(environment.get(USER_VARIABLE)),
        Optional.ofNullable(environment.get(FILE_VARIABLE)).map(Path::of),
        TlsConfig.OFF);
  }

  private static ClientTls tls(Map<String, String> environment) {
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
}
