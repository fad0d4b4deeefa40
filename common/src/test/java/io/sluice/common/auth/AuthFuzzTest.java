package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.sluice.common.error.SluiceException;
import io.sluice.common.fuzz.DecoderFuzz;
import io.sluice.proto.TokenGrant;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import org.junit.jupiter.api.Test;

class AuthFuzzTest {
  private static final TestAuthority AUTHORITY = new TestAuthority();

  /** Has a character that is not allowed in names, because messages may contain names. */
  private static final String SECRET = "0123456789+abcdefghijklmnop";

  private static ApplicationCredential credential() {
    return AUTHORITY.issue("alice~app-1", "alice", 1_000);
  }

  @Test
  void aTokenIsRefusedOrEncodesToTheSame() {
    DecoderFuzz.of(credential().token().toByteArray())
        .refusing(SluiceException.class)
        .run(
            input -> {
              ApplicationToken.Signed decoded = ApplicationToken.fromBytes(input);
              byte[] body = decoded.token().body();
              assertThat(body).isEqualTo(decoded.body());
              assertThat(concat(body, decoded.signature())).isEqualTo(input);
            });
  }

  @Test
  void aCredentialIsRefusedOrEncodesToTheSame() {
    DecoderFuzz.of(credential().toBytes())
        .refusing(SluiceException.class)
        .run(
            input -> assertThat(ApplicationCredential.fromBytes(input).toBytes()).isEqualTo(input));
  }

  @Test
  void aCertificateIsRefusedOrThatOfAProcess() {
    DecoderFuzz.of(
            AUTHORITY.process(ProcessRole.SERVER).identity().certificate().der().toByteArray(),
            AUTHORITY
                .process(ProcessRole.COORDINATOR, "*.example.org", "10.0.0.1", "fd00::1")
                .identity()
                .certificate()
                .der()
                .toByteArray())
        .refusing(SluiceException.class)
        .run(
            input -> {
              ProcessCertificate found = ProcessCertificate.parse(input);
              assertThat(found.der().toByteArray()).isEqualTo(input);
              assertThat(found.covers("")).isFalse();
              assertThat(found.toString()).doesNotContain("\n");
            });
  }

  @Test
  void aGrantIsRefusedOrGivesACredential() {
    ApplicationKey key = ApplicationKey.generate(new SecureRandom());
    DecoderFuzz.of(grant(Caller.ProvedBy.CERTIFICATE, key).toByteArray())
        .refusing(SluiceException.class)
        .refusing(InvalidProtocolBufferException.class)
        .run(
            input -> {
              TokenGrant grant = TokenGrant.parseFrom(input);
              assertThat(TokenGrants.open(grant, key, null).application()).isNotEmpty();
            });
  }

  private static TokenGrant grant(Caller.ProvedBy proof, ApplicationKey key) {
    return AUTHORITY
        .grants(1_000)
        .grant(
            new Caller(Caller.Kind.USER, "alice", Role.USER, "", proof),
            "alice~app-1",
            ByteString.copyFrom(key.publicKey()))
        .orElseThrow();
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
  void anIdentityIsRefusedWithoutItsKey() {
    String identity = AUTHORITY.identityPem(ProcessRole.SERVER);
    String key = identity.split("\n", -1)[1];
    DecoderFuzz.of(identity)
        .words("\n", "-----BEGIN CERTIFICATE-----", "-----END PRIVATE KEY-----", key, "=")
        .refusing(IllegalArgumentException.class)
        .run(
            input -> {
              try {
                assertThat(Identity.parse(text(input)).toString()).startsWith("identity of ");
              } catch (IllegalArgumentException refused) {
                assertThat(refused).hasMessageNotContaining(key);
                throw refused;
              }
            });
  }

  @Test
  void authoritiesAreRefusedOrAtLeastOne() {
    DecoderFuzz.of(AUTHORITY.authorityPem() + AUTHORITY.authorityPem())
        .words("\n", "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----", "=")
        .refusing(IllegalArgumentException.class)
        .run(input -> assertThat(Authorities.parse(text(input)).encoded()).isNotEmpty());
  }

  private static byte[] concat(byte[] one, byte[] two) {
    return ByteBuffer.allocate(one.length + two.length).put(one).put(two).array();
  }

  private static String text(byte[] input) {
    return new String(input, StandardCharsets.UTF_8);
  }
}
