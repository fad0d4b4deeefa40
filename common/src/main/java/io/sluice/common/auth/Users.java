package io.sluice.common.auth;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The users of a cluster. Immutable.
 *
 * <p>Text form, one user per line: name, role, and the {@link ScramVerifier} of the user's secret.
 * The verifier {@code -} is for a user with a certificate only; {@code #} begins a comment line. A
 * user has two lines while a new secret replaces the old one.
 */
public final class Users {
  /** No users. */
  public static final Users NONE = new Users(Map.of());

  /** Prevents offline guessing by an eavesdropper: 20 random characters have 100 bits. */
  static final int MIN_SECRET_LENGTH = 20;

  /** Maximum number of lines of a user. */
  static final int MAX_VERIFIERS = 2;

  private static final String NO_VERIFIER = "-";

  private final Map<String, User> users;
  private final int[] iterations;

  /** A user. */
  static final class User {
    private final Role role;
    private final List<ScramVerifier> verifiers;

    private User(Role role, List<ScramVerifier> verifiers) {
      this.role = role;
      this.verifiers = verifiers;
    }

    Role role() {
      return role;
    }

    /** Any of the verifiers, which have one salt; empty for a user with a certificate only. */
    Optional<ScramVerifier> verifier() {
      return verifiers.stream().findFirst();
    }

    /** At most {@link #MAX_VERIFIERS}; two while a new secret replaces the old one. */
    List<ScramVerifier> verifiers() {
      return verifiers;
    }

    /** The same user with a second secret. */
    private User with(User other, int number, String name) {
      boolean fits =
          verifiers.size() == 1
              && other.verifiers.size() == 1
              && role == other.role
              && verifiers.get(0).hasParametersOf(other.verifiers.get(0));
      if (!fits) {
        throw new IllegalArgumentException(
            "line "
                + number
                + ": duplicate user "
                + name
                + "; a user can have two lines with the same role, salt and iterations, while a new"
                + " secret replaces the old one");
      }
      return new User(role, List.of(verifiers.get(0), other.verifiers.get(0)));
    }
  }

  private Users(Map<String, User> users) {
    this.users = Map.copyOf(users);
    this.iterations =
        users.values().stream()
            .flatMap(user -> user.verifier().stream())
            .mapToInt(ScramVerifier::iterations)
            .sorted()
            .toArray();
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
            "line " + number + ": expected NAME ROLE VERIFIER, the name of " + UserNames.EXPECTED);
      }
      User user = new User(role(fields[1], number), verifiers(fields[2], number));
      User before = found.get(fields[0]);
      found.put(fields[0], before == null ? user : before.with(user, number, fields[0]));
    }
    return new Users(found);
  }

  private static Role role(String field, int number) {
    try {
      return Role.valueOf(field.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      // The field is not quoted: it may be the secret if the order is wrong.
      throw new IllegalArgumentException(
          "line " + number + ": unknown role; expected user, reader or admin, then the verifier");
    }
  }

  private static List<ScramVerifier> verifiers(String field, int number) {
    if (field.equals(NO_VERIFIER)) {
      return List.of();
    }
    try {
      return List.of(ScramVerifier.parse(field));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "line "
              + number
              + ": "
              + e.getMessage()
              + "; expected NAME ROLE SCRAM-SHA-256$..., never the secret itself; create the line"
              + " with `sluice secure user DIRECTORY NAME ROLE`");
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

  /** Role of a user with a certificate. An unknown user only looks. */
  Role roleOf(String name) {
    return find(name).map(User::role).orElse(Role.READER);
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
          "the common name of the certificate is not a user name; expected " + UserNames.EXPECTED);
    }
    return new Caller(
        Caller.Kind.USER, commonName, roleOf(commonName), "", Caller.ProvedBy.CERTIFICATE);
  }

  /**
   * Iterations for a user without a verifier: those of one of the users, so that they do not show
   * that the user is unknown.
   *
   * @param choice any number, always the same for one name
   */
  int iterationsOf(int choice) {
    return iterations.length == 0
        ? ScramVerifier.ITERATIONS
        : iterations[Math.floorMod(choice, iterations.length)];
  }

  boolean isEmpty() {
    return users.isEmpty();
  }

  @Override
  public String toString() {
    return users.size() + " users";
  }
}
