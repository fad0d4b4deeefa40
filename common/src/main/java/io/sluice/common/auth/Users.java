package io.sluice.common.auth;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The users of a cluster. Immutable.
 *
 * <p>Text form, one user per line: name, role, and a secret of at least 20 characters without
 * blanks. The secret {@code -} is for a user with a certificate only; {@code #} begins a comment
 * line.
 */
public final class Users {
  /** No users. */
  public static final Users NONE = new Users(Map.of());

  /** Prevents offline guessing by an eavesdropper: 20 random characters have 100 bits. */
  static final int MIN_SECRET_LENGTH = 20;

  private static final String NO_SECRET = "-";

  private final Map<String, User> users;

  /** A user. The secret is never printed. */
  static final class User {
    private final Role role;
    private final byte[] secret;

    private User(Role role, byte[] secret) {
      this.role = role;
      this.secret = secret;
    }

    Role role() {
      return role;
    }

    Optional<byte[]> secret() {
      return Optional.ofNullable(secret);
    }
  }

  private Users(Map<String, User> users) {
    this.users = Map.copyOf(users);
  }

  /**
   * Parses users.
   *
   * @throws IllegalArgumentException with the problem and the expected form, without any secret
   */
  public static Users parse(String text) {
    Map<String, User> found = new HashMap<>();
    int number = 0;
    for (String raw : text.split("\n", -1)) {
      number++;
      String line = raw.strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String[] fields = line.split("\\s+");
      if (fields.length != 3 || !UserNames.isName(fields[0])) {
        throw new IllegalArgumentException(
            "line " + number + ": expected NAME ROLE SECRET, the name of " + UserNames.EXPECTED);
      }
      if (found.put(fields[0], new User(role(fields[1], number), secret(fields[2], number)))
          != null) {
        throw new IllegalArgumentException("line " + number + ": duplicate user " + fields[0]);
      }
    }
    return new Users(found);
  }

  private static Role role(String field, int number) {
    try {
      return Role.valueOf(field.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      // The field is not quoted: it may be the secret if the order is wrong.
      throw new IllegalArgumentException(
          "line " + number + ": unknown role; expected user, reader or admin, then the secret");
    }
  }

  private static byte[] secret(String field, int number) {
    if (field.equals(NO_SECRET)) {
      return null;
    }
    try {
      return userSecret(field);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("line " + number + ": " + e.getMessage());
    }
  }

  /**
   * Parses the secret of one user.
   *
   * @throws IllegalArgumentException with the expected form, without the secret
   */
  public static byte[] userSecret(String text) {
    String field = text.strip();
    if (field.length() < MIN_SECRET_LENGTH || field.chars().anyMatch(Character::isWhitespace)) {
      throw new IllegalArgumentException(
          "a user's secret must have at least "
              + MIN_SECRET_LENGTH
              + " characters and no blanks; create one with `openssl rand -hex 32`");
    }
    return field.getBytes(StandardCharsets.UTF_8);
  }

  Optional<User> find(String name) {
    return Optional.ofNullable(users.get(name));
  }

  /** Role of a user with a certificate. */
  Role roleOf(String name) {
    return find(name).map(User::role).orElse(Role.USER);
  }

  /**
   * Role of the user with this name and secret. The time does not depend on which of the two is
   * wrong.
   */
  public Optional<Role> authenticate(String name, String secret) {
    Optional<User> user = find(name);
    byte[] expected = user.flatMap(User::secret).orElseGet(() -> new byte[Hmac.LENGTH]);
    boolean same =
        Hmac.same(
            Hmac.of(expected, "sluice compare v1"), Hmac.of(nonEmpty(secret), "sluice compare v1"));
    return same && user.flatMap(User::secret).isPresent() ? user.map(User::role) : Optional.empty();
  }

  /**
   * The user of a bearer token: the user's name, a colon, and the secret.
   *
   * @throws SluiceException DENIED; the message does not reveal which part is wrong
   */
  Caller ofBearer(String token) throws SluiceException {
    int colon = token.indexOf(':');
    String name = token.substring(0, Math.max(0, colon));
    Optional<Role> role = authenticate(name, token.substring(colon + 1));
    if (role.isEmpty()) {
      throw new SluiceException(
          StatusCode.DENIED,
          "unknown user or wrong secret in the bearer token; expected USER:SECRET");
    }
    return new Caller(Caller.Kind.USER, name, role.get(), "", Caller.ProvedBy.NOTHING);
  }

  /**
   * The user of a verified certificate.
   *
   * @throws SluiceException DENIED if the common name is not a user name
   */
  Caller ofCertificate(String commonName) throws SluiceException {
    if (!UserNames.isName(commonName)) {
      throw new SluiceException(
          StatusCode.DENIED,
          "the common name of the certificate is not a user name; expected "
              + UserNames.EXPECTED);
    }
    return new Caller(
        Caller.Kind.USER, commonName, roleOf(commonName), "", Caller.ProvedBy.CERTIFICATE);
  }

  boolean isEmpty() {
    return users.isEmpty();
  }

  private static byte[] nonEmpty(String secret) {
    return secret.isEmpty() ? new byte[1] : secret.getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public String toString() {
    return users.size() + " users";
  }
}
