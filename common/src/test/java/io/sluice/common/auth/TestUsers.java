package io.sluice.common.auth;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;

/** Users files and proofs of users for tests. */
public final class TestUsers {
  private TestUsers() {}

  /** Line of a users file. The salt is the beginning of the name. */
  public static String line(String name, String role, String secret) {
    byte[] salt =
        Arrays.copyOf(name.getBytes(StandardCharsets.US_ASCII), ScramVerifier.SALT_LENGTH);
    String verifier = ScramVerifier.of(secret, salt, ScramVerifier.MIN_ITERATIONS).text();
    return String.join(" ", name, role, verifier) + "\n";
  }

  /** Proves a user's calls. */
  public static CallProofs proofs(String name, String secret) {
    return CallProofs.ofUser(
        new UserCredential(name, Users.userSecret(secret)), new SecureRandom());
  }
}
