package io.sluice.storage.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.server.remote.spi.KerberosSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KerberosLoginTest {
  @TempDir private Path directory;
  private final RecordingSecurity security = new RecordingSecurity();
  private Path keytab;
  private Path krb5;

  @BeforeEach
  void makeFiles() throws IOException {
    keytab = Files.writeString(directory.resolve("sluice.keytab"), "k");
    krb5 = Files.writeString(directory.resolve("krb5.conf"), "c");
  }

  @Test
  void configuresThenLogsInThenRenews() throws IOException {
    try (KerberosLogin login = logIn(Optional.of(krb5))) {
      login.renew();
    }
    assertThat(security.calls)
        .containsExactly(
            "krb5 " + krb5, "configure kerberos", "login sluice@REALM " + keytab, "renew");
  }

  @Test
  void continuesToRenewAfterAFailure() throws IOException {
    try (KerberosLogin login = logIn(Optional.empty())) {
      security.failRenewal = true;
      login.renew();
      login.renew();
      security.failRenewal = false;
      login.renew();
    }
    assertThat(security.calls).endsWith("renew", "renew", "renew");
  }

  @Test
  void namesTheKeyOfAFileThatIsMissing() {
    keytab = directory.resolve("none");
    assertThatThrownBy(() -> logIn(Optional.empty()))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "rss.security.hadoop.kerberos.keytab.file: "
                + keytab
                + " is not readable; check the path and its permissions");
    assertThat(security.calls).isEmpty();
  }

  private KerberosLogin logIn(Optional<Path> krb5Configuration) throws IOException {
    return KerberosLogin.logIn(
        new KerberosSettings("sluice@REALM", keytab, krb5Configuration, 60_000),
        new Configuration(false),
        security);
  }
}
