package io.sluice.common.auth;

import com.google.protobuf.ByteString;
import io.grpc.BindableService;
import io.grpc.ClientInterceptor;
import io.grpc.ServerBuilder;
import io.sluice.common.auth.CallGuard.Rules;
import io.sluice.common.config.ConfigKey;
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
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
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

  private static final String REQUIRED_KEY = SecurityConfig.REQUIRED.name();

  private static final String CHALLENGES = "sluice.v1.Authentication";

  private final SecurityConfig config;
  private final Revocations revocations;

  /** Null without an identity. */
  private final OwnIdentity process;

  private final Supplier<Users> users;
  private final Optional<TlsContexts> tls;
  private final ClientTls clientTls;
  private final SecureRandom random;
  private final LongSupplier nanoTime;
  private final BearerLogins logins;

  private ClusterSecurity(
      SecurityConfig config,
      OwnIdentity process,
      Revocations revocations,
      Supplier<Users> users,
      Optional<TlsContexts> tls,
      SecureRandom random,
      LongSupplier nanoTime) {
    this.config = config;
    this.process = process;
    this.revocations = revocations;
    this.users = users;
    this.tls = tls;
    this.clientTls =
        tls.map(ClientTls::of).orElseGet(() -> ClientTls.plain(config.tls().peerName()));
    this.random = random;
    this.nanoTime = nanoTime;
    this.logins = new BearerLogins(users, ScramVerifier::matches, random, nanoTime);
  }

  /**
   * Reads the files.
   *
   * @param role role of this process
   * @throws IOException with a one-line message: key, file and problem
   */
  public static ClusterSecurity of(
      SecurityConfig config,
      ProcessRole role,
      Clock clock,
      SecureRandom random,
      LongSupplier nanoTime)
      throws IOException {
    OwnIdentity process = identity(config, role, clock, nanoTime);
    Supplier<Users> users = () -> Users.NONE;
    if (config.usersFile().isPresent()) {
      users = watched(SecurityConfig.USERS_FILE, config.usersFile(), Users::parse, true, nanoTime);
    }
    if (process != null) {
      LOG.info("authentication configured required={} {}", config.required(), process);
    }
    Revocations revocations = new Revocations(clock);
    return new ClusterSecurity(
        config,
        process,
        revocations,
        users,
        TlsContexts.of(config.tls(), true, nanoTime),
        random,
        nanoTime);
  }

  private static OwnIdentity identity(
      SecurityConfig config, ProcessRole role, Clock clock, LongSupplier nanoTime)
      throws IOException {
    String keys =
        SecurityConfig.IDENTITY_FILE.name() + " and " + SecurityConfig.AUTHORITY_FILE.name();
    if (config.identityFile().isEmpty() && config.authorityFile().isEmpty()) {
      if (config.required()) {
        throw new IOException(
            SecurityConfig.REQUIRED.name()
                + " is true, but this process has no identity; set "
                + keys);
      }
      return null;
    }
    if (config.identityFile().isEmpty() || config.authorityFile().isEmpty()) {
      throw new IOException(keys + " must be set together");
    }
    OwnIdentity process =
        new OwnIdentity(
            watched(
                SecurityConfig.IDENTITY_FILE,
                config.identityFile(),
                Identity::parse,
                true,
                nanoTime),
            watched(
                SecurityConfig.AUTHORITY_FILE,
                config.authorityFile(),
                Authorities::parse,
                false,
                nanoTime),
            clock);
    try {
      process.check(role);
    } catch (SluiceException e) {
      throw new IOException(
          SecurityConfig.IDENTITY_FILE.name()
              + ": "
              + config.identityFile().get()
              + ": "
              + e.getMessage(),
          e);
    }
    return process;
  }

  private static <T> Supplier<T> watched(
      ConfigKey<String> key,
      Optional<Path> file,
      Function<String, T> parser,
      boolean isSecret,
      LongSupplier nanoTime)
      throws IOException {
    Path path = file.orElseThrow();
    try {
      return (isSecret ? WatchedFile.openSecret(path, parser) : WatchedFile.open(path, parser))
          .cached(nanoTime);
    } catch (IOException e) {
      throw new IOException(key.name() + ": " + e.getMessage(), e);
    }
  }

  /**
   * Adds authentication to a gRPC server.
   *
   * @param open full names of services without authentication, or with their own
   * @param denials receives denied calls
   * @param signatures see {@link CallGuard}
   * @return additional services to register with the server
   */
  public List<BindableService> guard(
      ServerBuilder<?> server,
      Set<String> open,
      Rules rules,
      CallDenials denials,
      Executor signatures) {
    if (process == null) {
      return List.of();
    }
    CallAuthenticator authenticator =
        new CallAuthenticator(new TokenVerifier(process, revocations), users, random, nanoTime);
    Set<String> all = new HashSet<>(open);
    all.add(CHALLENGES);
    server.intercept(
        new CallGuard(authenticator, config.required(), all, rules, denials, signatures));
    return List.of(new AuthenticationService(authenticator));
  }

  /** Earliest expiry of the certificates in use. */
  public CertificateExpiry certificateExpiry(Clock clock) {
    return new CertificateExpiry(this::certificates, clock);
  }

  private List<X509Certificate> certificates() {
    List<X509Certificate> used = new ArrayList<>();
    if (process != null) {
      used.add(process.identity().certificate().certificate());
      used.addAll(process.authorities().certificates());
    }
    tls.map(TlsContexts::certificates).ifPresent(used::addAll);
    return used;
  }

  /** TLS of ports and connections; empty: plain text. */
  public Optional<TlsContexts> tls() {
    return tls;
  }

  /** TLS or plain text of connections to other processes of the cluster. */
  public ClientTls clientTls() {
    return clientTls;
  }

  /** Verifies tokens of data connections to this process; empty without an identity. */
  public Optional<TokenVerifier> tokens() {
    return Optional.ofNullable(process).map(of -> new TokenVerifier(of, revocations));
  }

  /** Revoked tokens, which this process refuses. */
  public Revocations revocations() {
    return revocations;
  }

  /** Lifetime of the tokens that this coordinator issues; empty if it issues none. */
  public OptionalLong tokenLifetimeMs() {
    return process == null ? OptionalLong.empty() : OptionalLong.of(config.tokenLifetimeMs());
  }

  /** Issues tokens to drivers and servers, in a coordinator. */
  public TokenGrants grants() {
    return process == null
        ? TokenGrants.NONE
        : new TokenGrants(new TokenIssuer(process, random), process, config.tokenLifetimeMs());
  }

  /**
   * Credential for a data connection of this process on behalf of an application.
   *
   * @param token token that a coordinator has granted for the key of this process; may be empty
   * @return empty if connections are not authenticated
   * @throws SluiceException DENIED if the token is not for this process
   */
  public Optional<ApplicationCredential> credential(ByteString token) throws SluiceException {
    return process == null || token.isEmpty()
        ? Optional.empty()
        : Optional.of(ApplicationCredential.of(token, process));
  }

  /**
   * Interceptors for calls of this process to other processes of the cluster.
   *
   * @param called role of the called processes
   */
  public List<ClientInterceptor> proofs(ProcessRole called) {
    return process == null
        ? List.of()
        : List.of(CallProofs.ofProcess(process, called, random, config.required()));
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
