package io.sluice.client.security;

import com.google.protobuf.ByteString;
import io.grpc.ClientInterceptor;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.auth.ApplicationKey;
import io.sluice.common.auth.CallProofs;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TokenGrants;
import io.sluice.common.auth.UserCredential;
import io.sluice.common.auth.UserNames;
import io.sluice.common.auth.Users;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.TokenGrant;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Identity of a process towards the cluster. A driver authenticates with a user's secret, a task
 * with the credential of its application. Thread-safe.
 */
public final class ClientIdentity {
  /** Environment variable with the user's secret, used if no file is configured. */
  public static final String SECRET_VARIABLE = "RSS_USER_SECRET";

  private final ApplicationCredentials credentials;
  private final UserCredential user;
  private final boolean wantsToken;
  private final SecureRandom random = new SecureRandom();

  /** Key pair of the application; created when it is needed first. Guarded by this. */
  private ApplicationKey key;

  /**
   * @param user null: no secret
   * @param wantsToken whether the user can prove its identity, by secret or certificate
   */
  private ClientIdentity(
      ApplicationCredentials credentials, UserCredential user, boolean wantsToken) {
    this.credentials = credentials;
    this.user = user;
    this.wantsToken = wantsToken;
  }

  /** Returns the identity of a task, which has only the credentials of its application. */
  public static ClientIdentity ofTask(ApplicationCredentials credentials) {
    return new ClientIdentity(credentials, null, false);
  }

  /**
   * Returns the identity of a driver.
   *
   * @param systemUser operating-system user
   * @param environment environment variables of the process
   * @param credentials if a secret is configured, every connection requires a credential from now
   *     on
   * @throws IOException if the configured secret cannot be used; the message has one line
   */
  public static ClientIdentity ofDriver(
      ClientSecurityConfig config,
      String systemUser,
      Map<String, String> environment,
      ApplicationCredentials credentials)
      throws IOException {
    if (config.secretFile().isPresent() || environment.containsKey(SECRET_VARIABLE)) {
      // Required even if the secret turns out to be unusable.
      credentials.require();
    }
    Optional<byte[]> secret = secret(config, environment);
    String user = config.user().orElse(systemUser);
    if (secret.isPresent() && !UserNames.isName(user)) {
      throw new IOException(
          "the operating-system user \""
              + user
              + "\" is not a valid user name of the cluster; set rss.security.user to "
              + UserNames.EXPECTED);
    }
    return new ClientIdentity(
        credentials,
        secret.map(bytes -> new UserCredential(user, bytes)).orElse(null),
        secret.isPresent() || config.tls().certificateFile().isPresent());
  }

  private static Optional<byte[]> secret(
      ClientSecurityConfig config, Map<String, String> environment) throws IOException {
    if (config.secretFile().isPresent()) {
      Path file = config.secretFile().get();
      try {
        return Optional.of(Users.userSecret(Files.readString(file, StandardCharsets.UTF_8)));
      } catch (IllegalArgumentException e) {
        throw new IOException(
            ClientSecurityConfig.SECRET_FILE.name() + ": " + file + ": " + e.getMessage(), e);
      } catch (NoSuchFileException e) {
        throw new IOException(
            ClientSecurityConfig.SECRET_FILE.name() + ": " + file + ": no such file", e);
      } catch (IOException e) {
        throw new IOException(
            ClientSecurityConfig.SECRET_FILE.name() + ": " + file + " cannot be read: " + e, e);
      }
    }
    String text = environment.get(SECRET_VARIABLE);
    try {
      return Optional.ofNullable(text).map(Users::userSecret);
    } catch (IllegalArgumentException e) {
      throw new IOException(SECRET_VARIABLE + ": " + e.getMessage(), e);
    }
  }

  /**
   * Returns the application name that the cluster uses: with a secret, it begins with the user's
   * name.
   */
  public static String applicationName(
      ClientSecurityConfig config,
      String systemUser,
      Map<String, String> environment,
      String application) {
    boolean proves = config.secretFile().isPresent() || environment.containsKey(SECRET_VARIABLE);
    String user = config.user().orElse(systemUser);
    if (!proves || !UserNames.isName(user)) {
      return application;
    }
    return UserNames.application(user, application);
  }

  /** Interceptors that authenticate a driver's calls to coordinators. */
  public List<ClientInterceptor> userProofs() {
    return user == null ? List.of() : List.of(CallProofs.ofUser(user, random));
  }

  /** Interceptors that authenticate calls to servers. */
  public List<ClientInterceptor> applicationProofs() {
    return credentials.newest().stream()
        .<ClientInterceptor>map(
            credential ->
                CallProofs.ofApplication(credential, ProcessRole.SERVER, random, Clock.systemUTC()))
        .toList();
  }

  /**
   * Public key for which coordinators grant tokens. The private key stays in this process, and in
   * those to which its credential is passed.
   *
   * @return empty if this process asks for no token
   */
  public ByteString publicKey() {
    return wantsToken ? ByteString.copyFrom(key().publicKey()) : ByteString.EMPTY;
  }

  private synchronized ApplicationKey key() {
    if (key == null) {
      key = ApplicationKey.generate(random);
    }
    return key;
  }

  /**
   * Stores the token that a coordinator granted. A driver with a secret must get one.
   *
   * @throws SluiceException DENIED if the token is missing, or is not for this user or application
   */
  public void acceptToken(boolean granted, TokenGrant grant, String application)
      throws SluiceException {
    if (!granted) {
      if (user != null) {
        throw new SluiceException(
            StatusCode.DENIED,
            "the coordinator granted no token although this job has a user's secret: it does not"
                + " authenticate users, or is not the real coordinator; check"
                + " rss.coordinator.quorum");
      }
      return;
    }
    ApplicationCredential credential = TokenGrants.open(grant, key(), user);
    if (!credential.application().equals(application)) {
      throw new SluiceException(
          StatusCode.DENIED,
          "the coordinator granted a token of another application, found="
              + credential.application()
              + " expected="
              + application);
    }
    credentials.update(credential);
  }
}
