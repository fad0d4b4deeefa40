package io.sluice.common.auth;

/**
 * Names of users and of their applications. The application of a user is named {@code USER~REST}.
 * User names do not contain the separator, so that every process can derive the owner from an
 * application's name.
 */
public final class UserNames {
  /** Valid user names, for messages. */
  public static final String EXPECTED = "1 to 128 of [A-Za-z0-9._@+$-]";

  /** Valid application names, for messages. */
  public static final String EXPECTED_APPLICATION = "1 to 256 of [A-Za-z0-9._@+$~-]";

  /** Maximum length of a user name. */
  static final int MAX_LENGTH = 128;

  /** Maximum length of an application name. */
  static final int MAX_APPLICATION_LENGTH = 256;

  private static final String SEPARATOR = "~";

  /** Characters of names besides letters and digits. */
  private static final String OTHER_CHARACTERS = "._@+$-";

  private UserNames() {}

  /** Whether a text is a valid user name. */
  public static boolean isName(String text) {
    return isValid(text, MAX_LENGTH, OTHER_CHARACTERS);
  }

  /** Whether a text is a valid application name, of any user. */
  public static boolean isApplication(String text) {
    return isValid(text, MAX_APPLICATION_LENGTH, OTHER_CHARACTERS + SEPARATOR);
  }

  /** Without a pattern, because every request has a name. */
  private static boolean isValid(String text, int maxLength, String others) {
    if (text.isEmpty() || text.length() > maxLength) {
      return false;
    }
    for (int i = 0; i < text.length(); i++) {
      char one = text.charAt(i);
      boolean alphanumeric =
          (one >= 'a' && one <= 'z') || (one >= 'A' && one <= 'Z') || (one >= '0' && one <= '9');
      if (!alphanumeric && others.indexOf(one) < 0) {
        return false;
      }
    }
    return true;
  }

  /** Prefix of the names of a user's applications. */
  static String prefix(String user) {
    return user + SEPARATOR;
  }

  /**
   * Name of an application of a user. The end of {@code rest} makes it unique, so the beginning is
   * cut if the name would be too long.
   */
  public static String application(String user, String rest) {
    String prefix = prefix(user);
    int room = MAX_APPLICATION_LENGTH - prefix.length();
    return prefix + rest.substring(Math.max(0, rest.length() - room));
  }
}
