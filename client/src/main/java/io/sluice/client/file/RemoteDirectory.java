package io.sluice.client.file;

import java.io.IOException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The directory of a shared file system below which a client opens run files that servers name.
 * Servers name files by URI, and a client opens them with its job's rights: without this, a false
 * server could have any file opened. Immutable.
 *
 * @param scheme in lower case
 * @param authority in lower case; empty: none
 * @param path without a slash at its end; empty: the root
 */
public record RemoteDirectory(String scheme, String authority, String path) {
  private static final Pattern URI =
      Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*):(?://([^/]*))?(/(?!/).*)");

  /** Parts of names that servers make: applications, servers and run files. */
  private static final Pattern BELOW = Pattern.compile("(/[A-Za-z0-9._~-]+)+");

  private static final Pattern STEPS = Pattern.compile("(^|.*/)\\.{1,2}(/.*|$)");

  /**
   * Reads a directory with its scheme, such as {@code hdfs://cluster/sluice}.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static RemoteDirectory parse(String text) {
    Matcher parts = URI.matcher(text.strip());
    if (!parts.matches() || STEPS.matcher(parts.group(3)).matches()) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is not a directory with its scheme, such as hdfs://cluster/sluice");
    }
    return new RemoteDirectory(
        lower(parts.group(1)), lower(parts.group(2)), parts.group(3).replaceFirst("/+$", ""));
  }

  /** Whether {@link #parse} takes a text. */
  public static boolean isOne(String text) {
    try {
      return parse(text).scheme() != null;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /**
   * Checks that a file lies below this directory.
   *
   * @param name with its scheme, as a server named it
   * @return the last part of the name
   * @throws IOException if it does not, or if its name has parts that no server makes
   */
  public String fileIn(String name) throws IOException {
    Matcher parts = URI.matcher(name);
    if (parts.matches()
        && lower(parts.group(1)).equals(scheme)
        && lower(parts.group(2)).equals(authority)
        && parts.group(3).startsWith(path + "/")) {
      String below = parts.group(3).substring(path.length());
      if (BELOW.matcher(below).matches() && !STEPS.matcher(below).matches()) {
        return below.substring(below.lastIndexOf('/') + 1);
      }
    }
    throw new IOException(
        "the server names a file that is not below " + this + ", the directory of its run files");
  }

  private static String lower(String text) {
    return text == null ? "" : text.toLowerCase(Locale.ROOT);
  }

  @Override
  public String toString() {
    return scheme + ":" + (authority.isEmpty() ? "" : "//" + authority) + path;
  }
}
