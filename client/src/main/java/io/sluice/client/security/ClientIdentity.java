package io.sluice.client.security;

import io.grpc.ClientInterceptor;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.ApplicationCredentials;
import io.sluice.common.auth.CallProofs;
import io.sluice.common.auth.TokenSeal;
import io.sluice.common.auth.Users;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.TokenGrant;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Who a process is to the cluster: a driver, which has a user's secret, or a task, which has its
 * application's credential. Thread-safe.
 */
public final class ClientIdentity {
  /** Holds the user's secret where there is no file. */
  public static final String SECRET_VARIABLE = "RSS_USER_SECRET";

  private static final int MAX_APPLICATION_LENGTH = 256;

  private final ApplicationCredentials credentials;
  private final String user;
  private final byte[] secret;
  private final SecureRandom random = new SecureRandom();

  private ClientIdentity(ApplicationCredentials credentials, String user, byte[] secret) {
    this.credentials = credentials;
    this.user = user;
    this.secret = secret;
  }

  /** Of a task: only what it is given. */
  public static ClientIdentity ofTask(ApplicationCredentials credentials) {
    return new ClientIdentity(credentials, "", null);
  }

  /**
   * Of a driver.
   *
   * @param systemUser of the operating system
   * @param environment of the process
   * @param credentials no connection may be made without one from now on, if there is a secret
   * @throws IOException one line: why the secret that there should be cannot be used
   */
  public static ClientIdentity ofDriver(
      ClientSecurityConfig config,
      String systemUser,
      Map<String, String> environment,
      ApplicationCredentials credentials)
      throws IOException {
    if (config.secretFile().isPresent() || environment.containsKey(SECRET_VARIABLE)) {
      // Also where the secret cannot be used.
      credentials.require();
    }
    Optional<byte[]> secret = secret(config, environment);
    String user = config.user().orElse(systemUser);
    if (secret.isPresent() && !Users.isName(user)) {
      throw new IOException(
          "rss.security.user: the operating-system user "
              + user
              + " cannot be a user of the cluster; give a name of letters, digits, - and _");
    }
    return new ClientIdentity(credentials, user, secret.orElse(null));
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
      } catch (IOException e) {
        throw new IOException(
            ClientSecurityConfig.SECRET_FILE.name() + ": " + file + " cannot be read", e);
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
   * The name of an application as a cluster knows it: a user with a secret has applications that
   * begin with the user's name.
   */
  public static String applicationName(
      ClientSecurityConfig config,
      String systemUser,
      Map<String, String> environment,
      String application) {
    boolean proves = config.secretFile().isPresent() || environment.containsKey(SECRET_VARIABLE);
    String user = config.user().orElse(systemUser);
    if (!proves || !Users.isName(user)) {
      return application;
    }
    // What makes it unique is at its end.
    int room = MAX_APPLICATION_LENGTH - user.length() - 1;
    int cut = Math.max(0, application.length() - room);
    return user + "." + application.substring(cut);
  }

  /** For a driver's calls of coordinators. */
  public List<ClientInterceptor> userProofs() {
    return secret == null ? List.of() : List.of(CallProofs.ofUser(user, secret, random));
  }

  /** For calls of servers. */
  public List<ClientInterceptor> applicationProofs() {
    return credentials.newest().stream()
        .<ClientInterceptor>map(credential -> CallProofs.ofApplication(credential, random))
        .toList();
  }

  /**
   * Keeps the token that a coordinator granted. One who has a secret must get a token.
   *
   * @throws SluiceException DENIED if it is not for this user, or missing
   */
  public void learn(boolean granted, TokenGrant grant, String application) throws SluiceException {
    if (!granted) {
      if (secret != null) {
        throw new SluiceException(
            StatusCode.DENIED,
            "the coordinator granted no token, although this job has a user's secret; it does not"
                + " authenticate users, or is a false one");
      }
      return;
    }
    ApplicationCredential credential = TokenSeal.open(grant, secret);
    if (!credential.application().equals(application)) {
      throw new SluiceException(
          StatusCode.DENIED, "the coordinator granted a token of " + credential.application());
    }
    credentials.learn(credential);
  }
}
