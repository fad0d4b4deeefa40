package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ApplicationTokenTest {
  private static final Instant NOW = Instant.ofEpochMilli(1_795_000_000_000L);
  private static final String FIRST = "k1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  private static final String SECOND = "k2 Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA=";

  /** The worked example of docs/formats.md. */
  private static final String GOLDEN =
      "534c544b"
          + "01"
          + "02"
          + "05"
          + "00"
          + "0d00"
          + "000000000000" // up to applicationLength
          + "005e56eea1010000"
          + "0022c7eea1010000" // issued, expires two hours later
          + "8877665544332211"
          + "00ffeeddccbbaa99" // nonce
          + "6b31"
          + "616c696365"
          + "616c6963657e6170702d323032";

  private static ApplicationToken token() {
    return new ApplicationToken(
        "k1",
        "alice",
        "alice~app-202",
        NOW.toEpochMilli(),
        NOW.toEpochMilli() + 7_390_208,
        0x1122334455667788L,
        0x99aabbccddeeff00L);
  }

  private static TokenAuthority authority(String keys, Instant now) {
    return new TokenAuthority(
        () -> ClusterKeys.parse(keys), Clock.fixed(now, ZoneOffset.UTC), new SecureRandom());
  }

  @Test
  void hasTheBytesOfTheFormat() throws Exception {
    assertThat(HexFormat.of().formatHex(token().toBytes())).isEqualTo(GOLDEN);
    assertThat(ApplicationToken.fromBytes(HexFormat.of().parseHex(GOLDEN))).isEqualTo(token());
  }

  @Test
  void derivesTheKeyOfTheFormat() throws Exception {
    assertThat(HexFormat.of().formatHex(authority(FIRST, NOW).verify(token().toBytes()).key()))
        .isEqualTo("f30a2d8db13b983704e8cffa47503abbc392e910b8d5881d72eb958210cd7e0f");
  }

  @Test
  void storesTheLongestNames() throws Exception {
    String user = "svc+etl$@" + "R".repeat(119);
    String application = UserNames.application(user, "x".repeat(300));
    assertThat(user).hasSize(128);
    assertThat(application).hasSize(256);
    ApplicationToken token = new ApplicationToken("k1", user, application, 1, 2, 3, 4);
    assertThat(ApplicationToken.fromBytes(token.toBytes())).isEqualTo(token);
  }

  @Test
  void isValidUntilItExpires() throws Exception {
    byte[] bytes = authority(FIRST, NOW).issue("alice~app", "alice", 1_000).toBytes();
    byte[] token = Arrays.copyOfRange(bytes, 33, bytes.length);
    assertThat(authority(FIRST, NOW.plusMillis(999)).verify(token).token().application())
        .isEqualTo("alice~app");
    assertThatThrownBy(() -> authority(FIRST, NOW.plusMillis(1_000)).verify(token))
        .hasMessageContaining("\"alice~app\" has expired");
  }

  @Test
  void tokensStayValidDuringAChangeOfTheSecret() throws Exception {
    ApplicationCredential old = authority(FIRST, NOW).issue("a~b", "a", 1_000);
    byte[] key = authority(SECOND + "\n" + FIRST, NOW).verify(old.tokenBytes()).key();
    assertThat(key).isEqualTo(old.key());
    assertThat(authority(SECOND + "\n" + FIRST, NOW).issue("a~b", "a", 1_000).tokenBytes())
        .containsSequence("k2a".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    assertThatThrownBy(() -> authority(SECOND, NOW).verify(old.tokenBytes()))
        .hasMessageContaining("cluster key \"k1\", which is not in use");
  }

  @Test
  void keysOfAnotherClusterWithTheSameIdGiveAnotherKey() throws Exception {
    ApplicationCredential ours = authority(FIRST, NOW).issue("a~b", "a", 1_000);
    String other = FIRST.replace("AAEC", "AAED");
    assertThat(authority(other, NOW).verify(ours.tokenBytes()).key()).isNotEqualTo(ours.key());
  }

  @Test
  void everyChangeOfATokenGivesAnotherKeyOrIsRefused() throws Exception {
    TokenAuthority authority = authority(FIRST + "\n" + SECOND, NOW);
    ApplicationCredential right =
        authority.issue("alice~app", "alice", Duration.ofDays(1).toMillis());
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = tampered(right.tokenBytes(), random);
      try {
        assertThat(authority.verify(bytes).key()).as("seed %d", seed).isNotEqualTo(right.key());
      } catch (SluiceException e) {
        assertThat(e.code()).as("seed %d", seed).isEqualTo(StatusCode.DENIED);
      }
    }
  }

  private static byte[] tampered(byte[] bytes, Random random) {
    byte[] changed = bytes.clone();
    switch (random.nextInt(4)) {
      case 0 -> changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
      case 1 -> changed = Arrays.copyOf(changed, random.nextInt(changed.length));
      case 2 -> changed = Arrays.copyOf(changed, changed.length + 1 + random.nextInt(500));
      default -> {
        changed = new byte[random.nextInt(500)];
        random.nextBytes(changed);
      }
    }
    return Arrays.equals(changed, bytes) ? new byte[0] : changed;
  }

  @Test
  void credentialsAreReadBackAndPrintNoKey() throws Exception {
    ApplicationCredential right = authority(FIRST, NOW).issue("a~b", "a", 1_000);
    ApplicationCredential read = ApplicationCredential.fromBytes(right.toBytes());
    assertThat(read.key()).isEqualTo(right.key());
    assertThat(read.tokenBytes()).isEqualTo(right.tokenBytes());
    assertThat(read).hasToString("credential of a~b until 1795000001000");
    SluiceException foreign =
        catchThrowableOfType(
            SluiceException.class, () -> ApplicationCredential.fromBytes(new byte[100]));
    assertThat(foreign.code()).isEqualTo(StatusCode.BAD_MESSAGE);
  }

  @Test
  void theCredentialThatWasIssuedLastIsKept() {
    ApplicationCredentials credentials = new ApplicationCredentials();
    ApplicationCredential first = authority(FIRST, NOW).issue("a~b", "a", 60_000);
    // The operator has shortened the lifetime of tokens.
    ApplicationCredential second = authority(FIRST, NOW.plusMillis(1)).issue("a~b", "a", 1_000);
    credentials.update(first);
    credentials.update(second);
    credentials.update(first);
    assertThat(credentials.newest()).containsSame(second);
  }
}
