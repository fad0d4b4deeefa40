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
  void whoHasNoSecretProvesNothing() {
    ControlIdentity nobody = ControlIdentity.of(Map.of(), "me");

    assertThat(nobody.problem()).isEmpty();
    assertThat(nobody.user()).isEqualTo("me");
    assertThat(nobody.userProofs()).isEmpty();
    assertThat(nobody.serverProofs()).isEmpty();
    assertThat(nobody.applicationName("bench-1")).isEqualTo("bench-1");
    assertThat(nobody.clientSettings())
        .containsExactlyEntriesOf(Map.of("rss.security.tls.enabled", "false"));
  }

  @Test
  void applicationsOfAUserWithASecretBeginWithTheUser() throws Exception {
    Path secret = Files.writeString(dir.resolve("secret"), "0123456789abcdef0123456789\n");
    ControlIdentity user =
        ControlIdentity.of(
            Map.of("RSS_USER", "etl", "RSS_USER_SECRET_FILE", secret.toString()), "me");

    assertThat(user.applicationName("bench-1")).isEqualTo("etl.bench-1");
    assertThat(user.userProofs()).hasSize(1);
    // Until the application has a token, servers may know the user.
    assertThat(user.serverProofs()).hasSize(1);
    assertThat(user.clientSettings())
        .containsEntry("rss.security.user", "etl")
        .containsEntry("rss.security.user.secret.file", secret.toString());
  }

  @Test
  void tellsWhatIsWrongWithItsFiles() {
    String none = dir.resolve("none").toString();

    assertThat(ControlIdentity.of(Map.of("RSS_USER_SECRET_FILE", none), "me").problem())
        .hasValue("rss.security.user.secret.file: " + none + " cannot be read");
    assertThat(ControlIdentity.of(Map.of("RSS_TLS_TRUST_FILE", none), "me").problem())
        .hasValue("rss.security.tls.trust.file: " + none + ": no such file");
  }
}
