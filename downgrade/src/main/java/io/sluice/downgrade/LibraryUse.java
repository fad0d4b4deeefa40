package io.sluice.downgrade;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A use of a newer class by a library that runs on Java 8, because the library looks for the class
 * first. Both are prefixes of names.
 *
 * @param user class of the library, without relocation
 * @param used class of the JDK, or a member of it
 */
record LibraryUse(String user, String used) {
  /** Prefix of relocated libraries in client jars. */
  static final String RELOCATED = "io/sluice/shaded/";

  private static final String LIST = "library-uses.txt";
  private static final String COMMENT = "#";

  /** The uses by the libraries of client jars. */
  static List<LibraryUse> ofClientJars() throws IOException {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                LibraryUse.class.getResourceAsStream(LIST), StandardCharsets.UTF_8))) {
      return lines
          .lines()
          .filter(line -> !line.startsWith(COMMENT) && !line.isBlank())
          .map(LibraryUse::parse)
          .toList();
    }
  }

  private static LibraryUse parse(String line) {
    String[] parts = line.split(" ", -1);
    if (parts.length != 2) {
      throw new IllegalArgumentException(LIST + ": expected two names, found: " + line);
    }
    return new LibraryUse(parts[0], parts[1]);
  }

  boolean includes(String userName, String usedName) {
    return userName.startsWith(RELOCATED + user) && usedName.startsWith(used);
  }

  @Override
  public String toString() {
    return LIST + ": " + user + " " + used;
  }
}
