package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.test.SettableClock;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ApplicationTokenTest {
  private static final Instant NOW = Instant.ofEpochMilli(1_795_000_000_000L);

  /** The body of the worked example of docs/formats.md. */
  private static final String GOLDEN =
      "534c544b"
          + "02"
          + "05"
          + "0d00"
          + "0400"
          + "000000000000" // up to reserved
          + "005e56eea1010000"
          + "0022c7eea1010000" // issued, expires two hours later
          + "8877665544332211"
          + "00ffeeddccbbaa99" // nonce
          + "3059301306072a8648ce3d020106082a8648ce3d030107034200"
          + "04"
          + "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
          + "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299" // publicKey
          + "616c696365"
          + "616c6963657e6170702d323032"
          + "c0ffee00"; // stands for the issuer's certificate

  private final SettableClock clock = new SettableClock();
  private final TestAuthority authority = new TestAuthority(clock);
  private final TokenVerifier verifier = authority.verifier();

  private static ApplicationToken token() {
    HexFormat hex = HexFormat.of();
    byte[] golden = hex.parseHex(GOLDEN);
    return new ApplicationToken(
        "alice",
        "alice~app-202",
        NOW.toEpochMilli(),
        NOW.toEpochMilli() + 7_390_208,
        ByteString.copyFrom(golden, 32, 16),
        ByteString.copyFrom(golden, 48, 91),
        ByteString.copyFrom(hex.parseHex("c0ffee00")));
  }

  @Test
  void hasTheBytesOfTheFormat() throws Exception {
    assertThat(HexFormat.of().formatHex(token().body())).isEqualTo(GOLDEN);
    ApplicationToken.Signed read =
        ApplicationToken.fromBytes(HexFormat.of().parseHex(GOLDEN + "010203"));
    assertThat(read.token()).isEqualTo(token());
    assertThat(read.signature()).containsExactly(1, 2, 3);
  }

  @Test
  void storesTheLongestNames() throws Exception {
    String user = "svc+etl$@" + "R".repeat(119);
    String application = UserNames.application(user, "x".repeat(300));
    assertThat(user).hasSize(128);
    assertThat(application).hasSize(256);
    ByteString token = authority.issue(application, user, 1_000).token();
    assertThat(verifier.verify(token).application()).isEqualTo(application);
    assertThat(verifier.verify(token).user()).isEqualTo(user);
  }

  @Test
  void isValidUntilItExpires() throws Exception {
    ByteString token = authority.issue("alice~app", "alice", 1_000).token();

    clock.pass(999);
    assertThat(verifier.verify(token).application()).isEqualTo("alice~app");
    assertThat(verifier.claimedApplication(token)).isEqualTo("alice~app");
    clock.pass(1);

    assertThatThrownBy(() -> verifier.verify(token))
        .hasMessageContaining("\"alice~app\" has expired");
    assertThatThrownBy(() -> verifier.claimedApplication(token))
        .hasMessageContaining("has expired");
    assertThatThrownBy(() -> authority.verifier().verify(token))
        .hasMessageContaining("has expired");
  }

  /** The finding: with one secret for all, each server could create tokens. */
  @Test
  void aServerCannotIssueTokens() {
    OwnIdentity stolen = authority.process(ProcessRole.SERVER);

    ByteString minted = authority.issue(stolen, "bob~app", "bob", 1_000).token();

    assertThatThrownBy(() -> verifier.verify(minted))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.DENIED))
        .hasMessageContaining("issued by server \"test-server\", which is not a coordinator");
  }

  @Test
  void aTokenOfAnotherClusterIsRefused() {
    ByteString foreign = new TestAuthority().issue("a~b", "a", 1_000_000).token();

    assertThatThrownBy(() -> verifier.verify(foreign))
        .hasMessageContaining("no authority of this cluster has signed it");
  }

  @Test
  void everyChangeOfATokenIsRefused() {
    byte[] right =
        authority.issue("alice~app", "alice", Duration.ofDays(1).toMillis()).token().toByteArray();
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 2_000; i++) {
      ByteString changed = ByteString.copyFrom(tampered(right, random));
      SluiceException refused =
          catchThrowableOfType(SluiceException.class, () -> verifier.verify(changed));
      assertThat(refused).as("seed %d, input %d", seed, i).isNotNull();
      assertThat(refused.code()).as("seed %d", seed).isEqualTo(StatusCode.DENIED);
    }
  }

  private static byte[] tampered(byte[] bytes, Random random) {
    byte[] changed = bytes.clone();
    switch (random.nextInt(4)) {
      case 0, 1 -> changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
      case 2 -> changed = Arrays.copyOf(changed, random.nextInt(changed.length));
      default -> changed = Arrays.copyOf(changed, changed.length + 1 + random.nextInt(500));
    }
    return changed;
  }

  @Test
  void anotherKeySignsNothingForATokensOwner() throws Exception {
    ApplicationCredential one = authority.issue("a~b", "a", 1_000);
    ApplicationCredential other = authority.issue("a~b", "a", 1_000);
    TokenVerifier.Verified verified = verifier.verify(one.token());
    byte[] part = {1};

    assertThat(verified.signed(one.sign("label", part), "label", part)).isTrue();
    assertThat(verified.signed(other.sign("label", part), "label", part)).isFalse();
    assertThat(verified.signed(one.sign("other", part), "label", part)).isFalse();
    assertThat(verified.signed(new byte[72], "label", part)).isFalse();
    assertThat(verified.signed(new byte[0], "label", part)).isFalse();
    assertThat(verified.signed(new byte[5_000], "label", part)).isFalse();
  }

  @Test
  void credentialsAreReadBackAndPrintNoKey() throws Exception {
    ApplicationCredential right = authority.issue("a~b", "a", 1_000);
    ApplicationCredential read = ApplicationCredential.fromBytes(right.toBytes());
    byte[] part = {1};
    assertThat(verifier.verify(read.token()).signed(read.sign("label", part), "label", part))
        .isTrue();
    assertThat(read.toBytes()).isEqualTo(right.toBytes());
    assertThat(read).hasToString("credential of a~b until 1795000001000");
    SluiceException foreign =
        catchThrowableOfType(
            SluiceException.class, () -> ApplicationCredential.fromBytes(new byte[100]));
    assertThat(foreign.code()).isEqualTo(StatusCode.BAD_MESSAGE);
  }

  @Test
  void theCredentialThatWasIssuedLastIsKept() throws Exception {
    ApplicationCredentials credentials = new ApplicationCredentials();
    ApplicationCredential first = authority.issue("a~b", "a", 60_000);
    clock.pass(1);
    // The operator has shortened the lifetime of tokens.
    ApplicationCredential second = authority.issue("a~b", "a", 1_000);
    credentials.update(first);
    credentials.update(second);
    credentials.update(first);
    assertThat(credentials.newest()).containsSame(second);
  }
}
