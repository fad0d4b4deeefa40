package io.sluice.common.auth;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The part of a user's secret that processes of the cluster store: it verifies a proof of the
 * secret, but does not prove anything to a coordinator. Immutable.
 *
 * <p>Text form, as PostgreSQL stores it: {@code SCRAM-SHA-256$ITERATIONS:SALT$STOREDKEY:SERVERKEY},
 * with a salt of 16 bytes and keys of 32 bytes in Base64.
 */
public final class ScramVerifier {
  /**
   * Iterations of new verifiers. More would cost each login more and protect little, because
   * secrets are random.
   */
  static final int ITERATIONS = 4096;

  static final int MIN_ITERATIONS = 4096;
  static final int MAX_ITERATIONS = 1_000_000;

  /** Length of a salt in bytes. */
  static final int SALT_LENGTH = 16;

  private static final String MECHANISM = "SCRAM-SHA-256";
  private static final Pattern TEXT =
      Pattern.compile(
          Pattern.quote(MECHANISM)
              + "\\$([0-9]{1,7}):([A-Za-z0-9+/]{22}==)\\$([A-Za-z0-9+/]{43}=):([A-Za-z0-9+/]{43}=)");

  private final byte[] salt;
  private final int iterations;
  private final byte[] storedKey;
  private final byte[] serverKey;

  private ScramVerifier(byte[] salt, int iterations, byte[] storedKey, byte[] serverKey) {
    this.salt = salt;
    this.iterations = iterations;
    this.storedKey = storedKey;
    this.serverKey = serverKey;
  }

  /**
   * Creates the verifier of a secret, with a new salt.
   *
   * @throws IllegalArgumentException if the secret is too short or has blanks, without the secret
   */
  public static ScramVerifier of(String secret, SecureRandom random) {
    byte[] salt = new byte[SALT_LENGTH];
    random.nextBytes(salt);
    return of(secret, salt, ITERATIONS);
  }

  /**
   * Creates the verifier of a secret with a given salt of 16 bytes. Two verifiers with one salt
   * show whether the secrets are equal.
   */
  public static ScramVerifier of(String secret, byte[] salt, int iterations) {
    if (salt.length != SALT_LENGTH || !isAllowed(iterations)) {
      throw new IllegalArgumentException(
          "expected a salt of " + SALT_LENGTH + " bytes and " + expectedIterations());
    }
    ScramKeys keys = ScramKeys.derive(Users.userSecret(secret), salt, iterations);
    return new ScramVerifier(salt.clone(), iterations, keys.storedKey(), keys.serverKey());
  }

  /** A verifier of no secret. */
  static ScramVerifier random(SecureRandom random) {
    byte[] salt = new byte[SALT_LENGTH];
    byte[] storedKey = new byte[Hmac.LENGTH];
    random.nextBytes(salt);
    random.nextBytes(storedKey);
    return new ScramVerifier(salt, ITERATIONS, storedKey, new byte[Hmac.LENGTH]);
  }

  /**
   * The verifier of another secret with the same salt and iterations, so that one challenge serves
   * both.
   */
  public ScramVerifier ofSecret(String secret) {
    return of(secret, salt, iterations);
  }

  /** Whether one challenge serves both verifiers. */
  boolean hasParametersOf(ScramVerifier other) {
    return iterations == other.iterations && Arrays.equals(salt, other.salt);
  }

  /**
   * Parses a verifier.
   *
   * @throws IllegalArgumentException with the problem; the text is not repeated, because it may be
   *     a secret
   */
  public static ScramVerifier parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("not a verifier");
    }
    int iterations = Integer.parseInt(parts.group(1));
    if (!isAllowed(iterations)) {
      throw new IllegalArgumentException(
          "verifier with " + iterations + " iterations, expected " + expectedIterations());
    }
    Base64.Decoder base64 = Base64.getDecoder();
    return new ScramVerifier(
        base64.decode(parts.group(2)),
        iterations,
        base64.decode(parts.group(3)),
        base64.decode(parts.group(4)));
  }

  static boolean isAllowed(int iterations) {
    return iterations >= MIN_ITERATIONS && iterations <= MAX_ITERATIONS;
  }

  static String expectedIterations() {
    return MIN_ITERATIONS + " to " + MAX_ITERATIONS + " iterations";
  }

  byte[] salt() {
    return salt;
  }

  int iterations() {
    return iterations;
  }

  byte[] storedKey() {
    return storedKey;
  }

  byte[] serverKey() {
    return serverKey;
  }

  /** Whether a secret is the one of this verifier. Derives its keys. */
  boolean matches(String secret) {
    byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
    return Hmac.same(storedKey, ScramKeys.derive(bytes, salt, iterations).storedKey());
  }

  /** The text form, for the users file. */
  public String text() {
    Base64.Encoder base64 = Base64.getEncoder();
    return MECHANISM
        + "$"
        + iterations
        + ":"
        + base64.encodeToString(salt)
        + "$"
        + base64.encodeToString(storedKey)
        + ":"
        + base64.encodeToString(serverKey);
  }

  @Override
  public String toString() {
    return "verifier";
  }
}
