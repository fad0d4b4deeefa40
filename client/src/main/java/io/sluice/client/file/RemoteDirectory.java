package io.sluice.client.file;

import java.io.IOException;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Directory of a shared file system that contains the run files which a client may open. Servers
 * send URIs of files, and a client opens them with the permissions of its job. Without this
 * restriction, a false server could make the client open any file. Immutable.
 *
 * @param scheme in lower case
 * @param authority in lower case; empty: none
 * @param path without a slash at the end; empty: the root
 */
public record RemoteDirectory(String scheme, String authority, String path) {
  private static final Pattern URI =
      Pattern.compile("([A-Za-z][A-Za-z0-9+.-]*):(?://([^/]*))?(/(?!/).*)");

  /** Path below the directory: names of applications, servers and run files. */
  private static final Pattern BELOW = Pattern.compile("(/[A-Za-z0-9._@+$=~-]+)+");

  private static final Pattern STEPS = Pattern.compile("(^|.*/)\\.{1,2}(/.*|$)");

  /**
   * Parses a directory with its scheme, such as {@code hdfs://cluster/sluice}.
   *
   * @throws IllegalArgumentException if the text is not a directory with a scheme
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

  /** Whether {@link #parse} accepts a text. */
  public static boolean isOne(String text) {
    try {
      return parse(text).scheme() != null;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /**
   * Checks that a file is below this directory.
   *
   * @param name URI of the file, from a server
   * @return the last part of the name
   * @throws IOException if the file is not below this directory, or its path has characters that
   *     servers do not use
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
        "the server returned a run file outside of rss.client.read.remote.path=" + this);
  }

  private static String lower(String text) {
    return text == null ? "" : text.toLowerCase(Locale.ROOT);
  }

  @Override
  public String toString() {
    return scheme + ":" + (authority.isEmpty() ? "" : "//" + authority) + path;
  }
}
