package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;

import javax.naming.InvalidNameException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PeerCertificatesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "CN=etl,OU=sluice-user; etl",
        "OU=sluice-user,CN=etl; etl",
        "cn=etl,ou=sluice-user,O=Example,C=DE; etl",
        "CN=etl,OU=Data,OU=sluice-user; etl",
        // Refused later: not a valid user name.
        "CN=a.b,OU=sluice-user; a.b"
      })
  void aSubjectWithTheUnitOfUsersIdentifiesAUser(String subject, String user)
      throws InvalidNameException {
    assertThat(PeerCertificates.user(subject)).contains(user);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CN=ops",
        "CN=ops,OU=Hosts",
        "CN=ops,OU=Sluice-User",
        "CN=ops,O=sluice-user",
        "CN=sluice-user",
        "CN=ops\\,OU=sluice-user",
        "CN=ops+OU=sluice-user",
        "CN=ops,CN=etl,OU=sluice-user",
        "OU=sluice-user",
        ""
      })
  void noOtherSubjectIdentifiesAUser(String subject) throws InvalidNameException {
    assertThat(PeerCertificates.user(subject)).isEmpty();
  }

  @Test
  void aConnectionWithoutACertificateIsAnonymous() {
    assertThat(PeerCertificates.user((javax.net.ssl.SSLSession) null)).isEmpty();
  }
}
