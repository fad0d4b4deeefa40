package io.sluice.cli.control;

import com.google.protobuf.ByteString;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.sluice.client.security.ClientIdentity;
import io.sluice.client.security.ClientSecurityConfig;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.config.HostPort;
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
 * User and trusted certificates of the command line, from the environment: {@code RSS_USER}, or
 * else the operating-system user, with the secret in {@code RSS_USER_SECRET_FILE} or {@code
 * RSS_USER_SECRET}. There are no options for them, because options are visible to all users of a
 * host. Thread-safe.
 */
public final class ControlIdentity {
  /** Name of the user. */
  public static final String USER_VARIABLE = "RSS_USER";

  /** File with the secret of the user. */
  public static final String FILE_VARIABLE = "RSS_USER_SECRET_FILE";

  /** File with the certificate authorities of coordinators and servers. */
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

  /** Identity from the environment of this process. */
  public static ControlIdentity ofEnvironment() {
    return ofEnvironment(new ApplicationCredentials());
  }

  /**
   * Identity from the environment of this process.
   *
   * @param credentials credentials of the command's application; set by {@link #acceptToken} or by
   *     another component that registers the application
   */
  public static ControlIdentity ofEnvironment(ApplicationCredentials credentials) {
    return new ControlIdentity(System.getenv(), System.getProperty("user.name"), credentials);
  }

  /** Identity from {@code environment}. */
  public static ControlIdentity of(Map<String, String> environment, String systemUser) {
    return new ControlIdentity(Map.copyOf(environment), systemUser, new ApplicationCredentials());
  }

  /** Identity of the same user for another application. */
  public ControlIdentity ofAnotherApplication() {
    return new ControlIdentity(environment, systemUser, new ApplicationCredentials());
  }

  /** Reason in one line why the credentials are not usable; empty if they are. */
  public Optional<String> problem() {
    return Optional.ofNullable(problem);
  }

  /** TLS settings; enabled if the environment names trusted certificate authorities. */
  public ClientTls tls() {
    return tls;
  }

  /** Credentials of data connections. */
  public ApplicationCredentials credentials() {
    return credentials;
  }

  /** User name at coordinators. */
  public String user() {
    return environment.getOrDefault(USER_VARIABLE, systemUser);
  }

  /** Id of a new application: with authentication, it must begin with the user's name. */
  public String applicationName(String fresh) {
    return ClientIdentity.applicationName(config(environment), systemUser, environment, fresh);
  }

  /** Public key for which the coordinator grants a token; empty without a user's secret. */
  public ByteString publicKey() {
    return identity.publicKey();
  }

  /** Stores the token of a coordinator's reply, if it has one. */
  public void acceptToken(boolean granted, TokenGrant grant, String application)
      throws SluiceException {
    identity.acceptToken(granted, grant, application);
  }

  /** Opens a channel on which calls prove the user. */
  public ManagedChannel channel(HostPort peer) {
    return tls.channel(peer.host(), peer.port()).intercept(userProofs()).build();
  }

  /** Interceptors that authenticate calls as the user; empty without a secret. */
  List<ClientInterceptor> userProofs() {
    return identity.userProofs();
  }

  /** Interceptors for calls of servers, which may know the application but not the user. */
  List<ClientInterceptor> serverProofs() {
    List<ClientInterceptor> proofs = identity.applicationProofs();
    return proofs.isEmpty() ? identity.userProofs() : proofs;
  }

  /** Client configuration keys for this identity; secrets are passed as file names. */
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
