package io.sluice.common.auth;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The users of a cluster. Immutable.
 *
 * <p>Text: one user a line: name, role, secret of at least 20 characters without blanks, or {@code
 * -} for one who is known by certificate only; {@code #} begins a comment line.
 */
public final class Users {
  /** Of nobody. */
  public static final Users NONE = new Users(Map.of());

  /** Guessing offline must be hopeless for who listens: 20 random characters have 100 bits. */
  static final int LEAST_SECRET_LENGTH = 20;

  private static final String NO_SECRET = "-";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,64}");

  private final Map<String, User> users;

  /** A user. Never printed with the secret. */
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
   * Reads users.
   *
   * @throws IllegalArgumentException what is wrong and what would be right, without any secret
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
      String[] words = line.split("\\s+");
      if (words.length != 3 || !isName(words[0])) {
        throw new IllegalArgumentException(
            "line " + number + ": expected NAME ROLE SECRET, the name of letters, digits, - and _");
      }
      if (found.put(words[0], new User(role(words[1], number), secret(words[2], number))) != null) {
        throw new IllegalArgumentException("line " + number + ": user " + words[0] + " again");
      }
    }
    return new Users(found);
  }

  private static Role role(String word, int number) {
    try {
      return Role.valueOf(word.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      // The word is not repeated: it is the secret where somebody has changed the order.
      throw new IllegalArgumentException(
          "line " + number + ": unknown role; expected user, reader or admin, then the secret");
    }
  }

  private static byte[] secret(String word, int number) {
    if (word.equals(NO_SECRET)) {
      return null;
    }
    try {
      return userSecret(word);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("line " + number + ": " + e.getMessage());
    }
  }

  /**
   * Reads the secret of one user as the user has it.
   *
   * @throws IllegalArgumentException what would be right, without the secret
   */
  public static byte[] userSecret(String text) {
    String word = text.strip();
    if (word.length() < LEAST_SECRET_LENGTH || word.chars().anyMatch(Character::isWhitespace)) {
      throw new IllegalArgumentException(
          "a user's secret has at least "
              + LEAST_SECRET_LENGTH
              + " characters without blanks; make one with `openssl rand -hex 32`");
    }
    return word.getBytes(StandardCharsets.UTF_8);
  }

  /** Whether a text can be a user's name: no dot, so that it ends where an application's begins. */
  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  Optional<User> find(String name) {
    return Optional.ofNullable(users.get(name));
  }

  /** Role of a user who proved the name otherwise, by a certificate. */
  Role roleOf(String name) {
    return find(name).map(User::role).orElse(Role.USER);
  }

  /**
   * The role of who gives name and secret, as over HTTPS; takes the same time whichever is wrong.
   */
  public Optional<Role> authenticate(String name, String secret) {
    Optional<User> user = find(name);
    byte[] right = user.flatMap(User::secret).orElseGet(() -> new byte[Hmac.LENGTH]);
    boolean same =
        Hmac.same(
            Hmac.of(right, "sluice compare v1"), Hmac.of(nonEmpty(secret), "sluice compare v1"));
    return same && user.flatMap(User::secret).isPresent() ? user.map(User::role) : Optional.empty();
  }

  /**
   * Who sends a bearer token: the user's name, a dot, and the secret.
   *
   * @throws SluiceException DENIED, with the same words whichever is wrong
   */
  Caller ofBearer(String token) throws SluiceException {
    int dot = token.indexOf('.');
    String name = token.substring(0, Math.max(0, dot));
    Optional<Role> role = authenticate(name, token.substring(dot + 1));
    if (role.isEmpty()) {
      throw new SluiceException(
          StatusCode.DENIED, "a token that is not known here; expected USER.SECRET");
    }
    return new Caller(Caller.Kind.USER, name, role.get(), "", Caller.ProvedBy.NOTHING);
  }

  /**
   * Who a verified certificate of a user names.
   *
   * @throws SluiceException DENIED
   */
  Caller ofCertificate(String commonName) throws SluiceException {
    if (!isName(commonName)) {
      throw new SluiceException(
          StatusCode.DENIED,
          "a certificate whose common name is no user name: letters, digits, - and _");
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
