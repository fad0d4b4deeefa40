package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.sluice.common.error.SluiceException;
import io.sluice.common.fuzz.DecoderFuzz;
import io.sluice.proto.TokenGrant;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import org.junit.jupiter.api.Test;

class AuthFuzzTest {
  private static final String KEY = "k1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  private static final String OTHER = "k2 Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA=";

  /** Has a character that is not allowed in names, because messages may contain names. */
  private static final String SECRET = "0123456789+abcdefghijklmnop";

  private static ApplicationCredential credential() {
    return new TokenAuthority(() -> ClusterKeys.parse(KEY), Clock.systemUTC(), new SecureRandom())
        .issue("alice~app-1", "alice", 1_000);
  }

  @Test
  void aTokenIsRefusedOrEncodesToTheSame() {
    DecoderFuzz.of(credential().tokenBytes())
        .refusing(SluiceException.class)
        .run(input -> assertThat(ApplicationToken.fromBytes(input).toBytes()).isEqualTo(input));
  }

  @Test
  void aCredentialIsRefusedOrEncodesToTheSame() {
    DecoderFuzz.of(credential().toBytes())
        .refusing(SluiceException.class)
        .run(
            input -> assertThat(ApplicationCredential.fromBytes(input).toBytes()).isEqualTo(input));
  }

  @Test
  void aGrantIsRefusedOrGivesACredential() {
    ByteString nonce = ByteString.copyFrom(new byte[CallProofs.NONCE_LENGTH]);
    byte[] exchangeKey = SECRET.getBytes(StandardCharsets.UTF_8);
    DecoderFuzz.of(
            TokenSeal.clear(credential()).toByteArray(),
            TokenSeal.seal(credential(), nonce, exchangeKey, new SecureRandom()).toByteArray())
        .refusing(SluiceException.class)
        .refusing(InvalidProtocolBufferException.class)
        .run(
            input -> {
              TokenGrant grant = TokenGrant.parseFrom(input);
              byte[] key = grant.getNonce().isEmpty() ? null : exchangeKey;
              assertThat(TokenSeal.opened(grant, key).application()).isNotEmpty();
            });
  }

  @Test
  void usersAreRefusedOrKnown() {
    String verifier = TestUsers.line("alice", "user", SECRET).strip().split(" ")[2];
    DecoderFuzz.of("# users\nalice user " + verifier + "\nroot admin -\n")
        .words(" ", "\n", "\t", "#", "-", "$", ":", "user", "admin", "reader", SECRET, "\u0130")
        .words(verifier)
        .refusing(IllegalArgumentException.class)
        .run(
            input -> {
              try {
                assertThat(Users.parse(text(input)).toString()).endsWith(" users");
              } catch (IllegalArgumentException refused) {
                assertThat(refused).hasMessageNotContaining(SECRET);
                throw refused;
              }
            });
  }

  @Test
  void keysAreRefusedOrAtLeastOne() {
    DecoderFuzz.of(KEY + "\n", OTHER + "," + KEY)
        .words(" ", "\n", ",", "#", KEY, OTHER, "=")
        .refusing(IllegalArgumentException.class)
        .run(
            input -> {
              try {
                ClusterKeys keys = ClusterKeys.parse(text(input));
                assertThat(keys.signing().secret().length)
                    .isGreaterThanOrEqualTo(ClusterKeys.MIN_BYTES);
                assertThat(keys.toString()).doesNotContain(KEY.substring(3));
              } catch (IllegalArgumentException refused) {
                assertThat(refused).hasMessageNotContaining(KEY.substring(3));
                throw refused;
              }
            });
  }

  private static String text(byte[] input) {
    return new String(input, StandardCharsets.UTF_8);
  }
}
