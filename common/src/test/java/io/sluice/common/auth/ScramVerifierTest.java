package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScramVerifierTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final String GOLDEN =
      "SCRAM-SHA-256$4096:AAECAwQFBgcICQoLDA0ODw==$"
          + "9N8EpD8n0pedhw7ISFKl+xcetF+l25KUW3TuR5lIkmk=:"
          + "ADC3xj1ZJ7X8F5YhUfmNzswsQmoCaub34nMyN5nXcN8=";
  private static final String STORED = "B".repeat(42) + "A=";

  /** The example of RFC 7677. */
  @Test
  void derivesTheKeysOfTheStandard() throws Exception {
    ScramKeys keys =
        ScramKeys.derive(
            "pencil".getBytes(StandardCharsets.US_ASCII),
            Base64.getDecoder().decode("W22ZaJ0SNY7soEsUEjb6gQ=="),
            4096);
    String nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
    String message =
        "n=user,r=rOprNGfwEbeRWgbNEkqO,r="
            + nonce
            + ",s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r="
            + nonce;
    byte[] proof = hmac(keys.storedKey(), message);
    for (int i = 0; i < proof.length; i++) {
      proof[i] ^= keys.clientKey()[i];
    }
    assertThat(Base64.getEncoder().encodeToString(proof))
        .isEqualTo("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=");
    assertThat(Base64.getEncoder().encodeToString(hmac(keys.serverKey(), message)))
        .isEqualTo("6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=");
  }

  private static byte[] hmac(byte[] key, String message) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    return mac.doFinal(message.getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void hasTheTextOfTheFormat() {
    byte[] salt = HexFormat.of().parseHex("000102030405060708090a0b0c0d0e0f");
    ScramVerifier verifier = ScramVerifier.of(SECRET, salt, 4096);
    assertThat(verifier.text()).isEqualTo(GOLDEN);
    assertThat(ScramVerifier.parse(GOLDEN).text()).isEqualTo(GOLDEN);
    assertThat(ScramVerifier.parse(GOLDEN).matches(SECRET)).isTrue();
    assertThat(ScramVerifier.parse(GOLDEN).matches(SECRET + "x")).isFalse();
    assertThat(verifier).hasToString("verifier");
  }

  @Test
  void everyVerifierHasItsOwnSalt() {
    SecureRandom random = new SecureRandom();
    assertThat(ScramVerifier.of(SECRET, random).text())
        .isNotEqualTo(ScramVerifier.of(SECRET, random).text());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 4095, 1_000_001, 9_999_999})
  void refusesTooFewAndTooManyIterations(int iterations) {
    assertThatThrownBy(
            () ->
                ScramVerifier.parse(
                    "SCRAM-SHA-256$"
                        + iterations
                        + ":"
                        + "A".repeat(22)
                        + "==$"
                        + STORED
                        + ":"
                        + STORED))
        .hasMessage(
            "verifier with " + iterations + " iterations, expected 4096 to 1000000 iterations");
    assertThatThrownBy(() -> ScramVerifier.of(SECRET, new byte[16], iterations))
        .hasMessageContaining("4096 to 1000000 iterations");
  }

  @Test
  void refusesAShortSecret() {
    assertThatThrownBy(() -> ScramVerifier.of("hunter2", new SecureRandom()))
        .hasMessageContaining("at least 20 characters")
        .message()
        .doesNotContain("hunter2");
  }
}
