package io.sluice.cli.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlIdentityTest {
  @TempDir Path dir;

  @Test
  void userWithoutSecretHasNoProofs() {
    ControlIdentity anonymous = ControlIdentity.of(Map.of(), "me");

    assertThat(anonymous.problem()).isEmpty();
    assertThat(anonymous.user()).isEqualTo("me");
    assertThat(anonymous.userProofs()).isEmpty();
    assertThat(anonymous.serverProofs()).isEmpty();
    assertThat(anonymous.applicationName("bench-1")).isEqualTo("bench-1");
    assertThat(anonymous.clientSettings())
        .containsExactlyEntriesOf(Map.of("rss.security.tls.enabled", "false"));
  }

  @Test
  void applicationIdsOfAUserWithASecretBeginWithTheUser() throws Exception {
    Path secret = Files.writeString(dir.resolve("secret"), "0123456789abcdef0123456789\n");
    ControlIdentity user =
        ControlIdentity.of(
            Map.of("RSS_USER", "etl", "RSS_USER_SECRET_FILE", secret.toString()), "me");

    assertThat(user.applicationName("bench-1")).isEqualTo("etl~bench-1");
    assertThat(user.userProofs()).hasSize(1);
    // Without an application token, calls of servers use the user's proof.
    assertThat(user.serverProofs()).hasSize(1);
    assertThat(user.clientSettings())
        .containsEntry("rss.security.user", "etl")
        .containsEntry("rss.security.user.secret.file", secret.toString());
  }

  @Test
  void reportsProblemsOfItsFiles() {
    String none = dir.resolve("none").toString();

    assertThat(ControlIdentity.of(Map.of("RSS_USER_SECRET_FILE", none), "me").problem())
        .hasValue("rss.security.user.secret.file: " + none + ": no such file");
    assertThat(ControlIdentity.of(Map.of("RSS_TLS_TRUST_FILE", none), "me").problem())
        .hasValue("rss.security.tls.trust.file: " + none + ": no such file");
  }
}
