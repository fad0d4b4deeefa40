package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.sluice.common.error.SluiceException;
import io.sluice.common.test.CountingRandom;
import io.sluice.common.test.SettableClock;
import java.time.Instant;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/**
 * Golden files: an identity that a process sends, and a credential that a driver sends to tasks.
 */
class CredentialFormatTest {
  private static final long LIFETIME_MS = 7_390_208;

  private final SettableClock clock = new SettableClock();
  private final OwnIdentity server = GoldenCluster.process(ProcessRole.SERVER);

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  @Test
  void readsTheGoldenIdentity() throws Exception {
    ByteString der = GoldenCluster.identity(ProcessRole.SERVER).certificate().der();

    ProcessCertificate found = GoldenCluster.authorities().verify(der, clock.millis());

    assertThat(found.role()).isEqualTo(ProcessRole.SERVER);
    assertThat(found.name()).isEqualTo("data-1.example.org");
    assertThat(found.hosts()).hasSize(3).contains("data-1.example.org", "10.0.0.11");
    assertThat(found.covers("fd00::11")).isTrue();
    assertThat(found.expiryMs()).isEqualTo(Instant.parse("2027-12-03T00:00:00Z").toEpochMilli());
    assertThat(found.der()).isEqualTo(der);
    assertThat(GoldenCluster.identity(ProcessRole.COORDINATOR).certificate().role())
        .isEqualTo(ProcessRole.COORDINATOR);
  }

  @Test
  void readsAndWritesTheGoldenCredential() throws Exception {
    byte[] golden = GoldenCluster.file("credential-v2.bin");

    ApplicationCredential credential = ApplicationCredential.fromBytes(golden);

    assertThat(hex(credential.toBytes())).isEqualTo(hex(golden));
    assertThat(credential.user()).isEqualTo("alice");
    assertThat(credential.application()).isEqualTo("alice~app-202");
    assertThat(credential.issuedMs()).isEqualTo(clock.millis());
    assertThat(credential.expiryMs()).isEqualTo(clock.millis() + LIFETIME_MS);
    TokenVerifier verifier = new TokenVerifier(server, new Revocations(clock));
    byte[] part = {1};
    assertThat(
            verifier
                .verify(credential.token())
                .signed(credential.sign("label", part), "label", part))
        .isTrue();
    assertThat(
            credential
                .verify(
                    server.identity().certificate().der(),
                    ProcessRole.SERVER,
                    GoldenCluster.SERVER_HOST,
                    clock.millis())
                .name())
        .isEqualTo("data-1.example.org");
  }

  /** All bytes but the signature, which is another one each time. */
  @Test
  void issuesTheGoldenToken() throws Exception {
    ApplicationToken.Signed golden =
        ApplicationToken.fromBytes(GoldenCluster.credential().token().toByteArray());

    byte[] issued =
        new TokenIssuer(GoldenCluster.process(ProcessRole.COORDINATOR), new CountingRandom())
            .issue("alice~app-202", "alice", golden.token().publicKey(), LIFETIME_MS);

    assertThat(hex(ApplicationToken.fromBytes(issued).body())).isEqualTo(hex(golden.body()));
  }

  @Test
  void anotherVersionOfTheCredentialIsRefused() {
    byte[] other = GoldenCluster.file("credential-v2.bin");
    other[0]++;
    assertThatThrownBy(() -> ApplicationCredential.fromBytes(other))
        .isInstanceOf(SluiceException.class)
        .hasMessage("not a credential of this version of Sluice");
  }
}
