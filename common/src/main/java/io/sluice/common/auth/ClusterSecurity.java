package io.sluice.common.auth;

import io.grpc.BindableService;
import io.grpc.ClientInterceptor;
import io.grpc.ServerBuilder;
import io.sluice.common.auth.CallGuard.Rules;
import io.sluice.common.config.HostText;
import io.sluice.common.error.SluiceException;
import io.sluice.common.file.WatchedFile;
import io.sluice.common.net.PeerConnections;
import io.sluice.common.tls.ClientTls;
import io.sluice.common.tls.TlsContexts;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import javax.net.ssl.SSLSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Authentication and encryption of a coordinator or server, as configured. Thread-safe. */
public final class ClusterSecurity {
  private static final Logger LOG = LoggerFactory.getLogger(ClusterSecurity.class);

  /** For a process without authentication and encryption. */
  public static final ClusterSecurity OFF =
      new ClusterSecurity(
          SecurityConfig.OFF,
          null,
          new Revocations(Clock.systemUTC()),
          () -> Users.NONE,
          Optional.empty(),
          new SecureRandom(),
          System::nanoTime);

  /** Environment variable with the cluster's keys, used if no file is configured. */
  public static final String SECRET_VARIABLE = "RSS_CLUSTER_SECRET";

  /** User name in tokens that a process of the cluster issues for itself. */
  private static final String CLUSTER_USER = "sluice-cluster";

  private static final String REQUIRED_KEY = SecurityConfig.REQUIRED.name();

  private static final String CHALLENGES = "sluice.v1.Authentication";

  private final SecurityConfig config;
  private final TokenAuthority tokens;
  private final Revocations revocations;
  private final Supplier<Users> users;
  private final Optional<TlsContexts> tls;
  private final ClientTls clientTls;
  private final SecureRandom random;
  private final LongSupplier nanoTime;
  private final BearerLogins logins;

  private ClusterSecurity(
      SecurityConfig config,
      TokenAuthority tokens,
      Revocations revocations,
      Supplier<Users> users,
      Optional<TlsContexts> tls,
      SecureRandom random,
      LongSupplier nanoTime) {
    this.config = config;
    this.tokens = tokens;
    this.revocations = revocations;
    this.users = users;
    this.tls = tls;
    this.clientTls = tls.map(ClientTls::of).orElse(ClientTls.OFF);
    this.random = random;
    this.nanoTime = nanoTime;
    this.logins = new BearerLogins(users, ScramVerifier::matches, random, nanoTime);
  }

  /**
   * Reads the secrets.
   *
   * @param environment environment variables of the process
   * @throws IOException with a one-line message: key, file and problem
   */
  public static ClusterSecurity of(
      SecurityConfig config,
      Map<String, String> environment,
      Clock clock,
      SecureRandom random,
      LongSupplier nanoTime)
      throws IOException {
    Supplier<ClusterKeys> keys = keys(config, environment, nanoTime);
    Supplier<Users> users = () -> Users.NONE;
    if (config.usersFile().isPresent()) {
      try {
        users = WatchedFile.openSecret(config.usersFile().get(), Users::parse).cached(nanoTime);
      } catch (IOException e) {
        throw new IOException(SecurityConfig.USERS_FILE.name() + ": " + e.getMessage(), e);
      }
    }
    if (keys == null && config.required()) {
      throw new IOException(
          SecurityConfig.REQUIRED.name()
              + " is true, but there is no cluster secret; set "
              + SecurityConfig.SECRET_FILE.name()
              + " or the environment variable "
              + SECRET_VARIABLE);
    }
    if (keys != null) {
      LOG.info(
          "authentication configured required={} clusterKeys={}", config.required(), keys.get());
    }
    Revocations revocations = new Revocations(clock);
    return new ClusterSecurity(
        config,
        keys == null ? null : new TokenAuthority(keys, revocations, clock, random),
        revocations,
        users,
        TlsContexts.of(config.tls(), true, nanoTime),
        random,
        nanoTime);
  }

  private static Supplier<ClusterKeys> keys(
      SecurityConfig config, Map<String, String> environment, LongSupplier nanoTime)
      throws IOException {
    if (config.secretFile().isPresent()) {
      try {
        return WatchedFile.openSecret(config.secretFile().get(), ClusterKeys::parse)
            .cached(nanoTime);
      } catch (IOException e) {
        throw new IOException(SecurityConfig.SECRET_FILE.name() + ": " + e.getMessage(), e);
      }
    }
    String text = environment.get(SECRET_VARIABLE);
    if (text == null) {
      return null;
    }
    try {
      ClusterKeys keys = ClusterKeys.parse(text);
      return () -> keys;
    } catch (IllegalArgumentException e) {
      throw new IOException(SECRET_VARIABLE + ": " + e.getMessage(), e);
    }
  }

  /**
   * Adds authentication to a gRPC server.
   *
   * @param open full names of services without authentication, or with their own
   * @param denials receives denied calls
   * @return additional services to register with the server
   */
  public List<BindableService> guard(
      ServerBuilder<?> server, Set<String> open, Rules rules, CallDenials denials) {
    if (tokens == null) {
      return List.of();
    }
    CallAuthenticator authenticator = new CallAuthenticator(tokens, users, random, nanoTime);
    Set<String> all = new HashSet<>(open);
    all.add(CHALLENGES);
    server.intercept(new CallGuard(authenticator, config.required(), all, rules, denials));
    return List.of(new AuthenticationService(authenticator));
  }

  /** TLS of ports and connections; empty: plain text. */
  public Optional<TlsContexts> tls() {
    return tls;
  }

  /** TLS or plain text of connections to other processes of the cluster. */
  public ClientTls clientTls() {
    return clientTls;
  }

  /** Verifies tokens of data connections to this process; empty without a cluster secret. */
  public Optional<TokenAuthority> tokens() {
    return Optional.ofNullable(tokens);
  }

  /** Revoked tokens, which this process refuses. */
  public Revocations revocations() {
    return revocations;
  }

  /** Lifetime of the tokens that this coordinator issues; empty if it issues none. */
  public OptionalLong tokenLifetimeMs() {
    return tokens == null ? OptionalLong.empty() : OptionalLong.of(config.tokenLifetimeMs());
  }

  /** Issues tokens to drivers, in a coordinator. */
  public TokenGrants grants() {
    return tokens == null
        ? TokenGrants.NONE
        : new TokenGrants(tokens, config.tokenLifetimeMs(), random);
  }

  /**
   * Credential for a data connection of this process to another process of the cluster, on behalf
   * of an application.
   *
   * @return empty if connections are not authenticated
   */
  public Optional<ApplicationCredential> credential(String application, long lifetimeMs) {
    return tokens == null
        ? Optional.empty()
        : Optional.of(tokens.issue(application, CLUSTER_USER, lifetimeMs));
  }

  /** Interceptors for calls of this process to other processes of the cluster. */
  public List<ClientInterceptor> proofs() {
    return tokens == null
        ? List.of()
        : List.of(CallProofs.ofCluster(tokens, random, config.required()));
  }

  /**
   * Checks whether a connection may carry a bearer token, which has a user's secret.
   *
   * @param session TLS session of the connection; null: plain text
   * @return reason to refuse the token, in one line; empty: it is accepted
   */
  public static Optional<String> bearerRefusal(SSLSession session, SocketAddress peer) {
    return session != null
            || (peer instanceof InetSocketAddress inet
                && inet.getAddress() != null
                && inet.getAddress().isLoopbackAddress())
        ? Optional.empty()
        : Optional.of(
            "bearer tokens are accepted only over TLS or from this host, because they contain the"
                + " user's secret: set rss.security.tls.enabled, or use `sluice admin`, which"
                + " sends no secret");
  }

  /**
   * Authenticates the caller of an HTTP request.
   *
   * @param bearer bearer token of the request; null: none
   * @param session TLS session of the connection; null: plain text
   * @return fails with a SluiceException: DENIED if the token or certificate is not valid, BUSY if
   *     the caller shall try again later
   */
  public CompletionStage<Caller> caller(String bearer, SSLSession session, SocketAddress peer) {
    if (bearer != null) {
      return logins.caller(bearer, PeerConnections.address(peer));
    }
    Optional<String> name = PeerCertificates.user(session);
    try {
      return CompletableFuture.completedStage(
          name.isPresent() ? users.get().ofCertificate(name.get()) : Caller.ANONYMOUS);
    } catch (SluiceException e) {
      return CompletableFuture.failedStage(e);
    }
  }

  /** Whether any user is configured. */
  public boolean knowsUsers() {
    return !users.get().isEmpty();
  }

  /** Whether callers must authenticate. */
  public boolean required() {
    return config.required();
  }

  /**
   * Warning about ports that other hosts can reach without authentication.
   *
   * @param address address on which the process listens
   * @param hostKey configuration key of the address
   * @return one line; empty if there is no risk
   */
  public Optional<String> warning(InetAddress address, String hostKey) {
    return config.required() || address.isLoopbackAddress()
        ? Optional.empty()
        : Optional.of(
            "authentication is off and ports are open to other hosts: any client that reaches them"
                + " can read and delete all shuffles; set "
                + REQUIRED_KEY
                + "=true (docs/security.md), or set "
                + hostKey
                + " to a loopback address; address="
                + (address.isAnyLocalAddress() ? "*" : HostText.of(address)));
  }

  /** Whether anonymous callers may read the state of servers and applications. */
  public boolean openReads() {
    return !config.required() || config.openReads();
  }
}
