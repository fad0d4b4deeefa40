package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.sluice.common.error.SluiceException;
import io.sluice.common.tls.TlsConfig;
import io.sluice.proto.CallProof;
import io.sluice.proto.TokenGrant;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class CallAuthenticatorTest {
  private static final String KEYS = "k1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final String CALL = "sluice.v1.Coordinator/RegisterApplication";

  private final SecureRandom random = new SecureRandom();
  private final AtomicLong nanos = new AtomicLong();
  private final TokenAuthority tokens =
      new TokenAuthority(() -> ClusterKeys.parse(KEYS), Clock.systemUTC(), random);
  private final Users users = Users.parse("alice user " + SECRET + "\nroot admin " + SECRET + "x");
  private final CallAuthenticator authenticator = newAuthenticator();

  private CallAuthenticator newAuthenticator() {
    return new CallAuthenticator(tokens, () -> users, random, nanos::get);
  }

  private static CallProof proof(byte[] challenge, String user, String secret, String call) {
    return proof(challenge, new byte[CallProofs.NONCE_LENGTH], user, secret, call);
  }

  private static CallProof proof(
      byte[] challenge, byte[] nonce, String user, String secret, String call) {
    byte[] key = secret.getBytes(StandardCharsets.UTF_8);
    return CallProof.newBuilder()
        .setChallenge(ByteString.copyFrom(challenge))
        .setNonce(ByteString.copyFrom(nonce))
        .setUser(user)
        .setMac(ByteString.copyFrom(CallAuthenticator.mac(key, challenge, nonce, call)))
        .build();
  }

  @Test
  void aUserIsKnownByTheSecret() throws Exception {
    Caller alice =
        authenticator.authenticate(proof(authenticator.challenge(), "alice", SECRET, CALL), CALL);
    assertThat(alice.text()).isEqualTo("user alice");
    assertThat(alice.owns("alice~app")).isTrue();
    assertThat(alice.owns("alice")).isFalse();
    assertThat(alice.owns("alice2.app")).isFalse();
    assertThat(alice.toString()).doesNotContain(SECRET);
  }

  @Test
  void aWrongSecretAndAnUnknownUserLookAlike() {
    assertThatThrownBy(
            () ->
                authenticator.authenticate(
                    proof(authenticator.challenge(), "alice", SECRET + "y", CALL), CALL))
        .hasMessage("user alice is unknown, or its secret is wrong");
    assertThatThrownBy(
            () ->
                authenticator.authenticate(
                    proof(authenticator.challenge(), "mallory", SECRET, CALL), CALL))
        .hasMessage("user mallory is unknown, or its secret is wrong");
  }

  @Test
  void anAnswerIsValidOnceForOneCallOfOneProcessUntilItExpires() throws Exception {
    CallProof once = proof(authenticator.challenge(), "alice", SECRET, CALL);
    assertThat(authenticator.authenticate(once, CALL).name()).isEqualTo("alice");
    assertThatThrownBy(() -> authenticator.authenticate(once, CALL))
        .hasMessageContaining("answered before");

    CallProof otherCall = proof(authenticator.challenge(), "alice", SECRET, CALL);
    assertThatThrownBy(() -> authenticator.authenticate(otherCall, CALL + "X"))
        .isInstanceOf(SluiceException.class);

    CallProof late = proof(authenticator.challenge(), "alice", SECRET, CALL);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(30));
    assertThatThrownBy(() -> authenticator.authenticate(late, CALL))
        .hasMessageContaining("has expired");

    CallProof elsewhere = proof(newAuthenticator().challenge(), "alice", SECRET, CALL);
    assertThatThrownBy(() -> authenticator.authenticate(elsewhere, CALL))
        .hasMessageContaining("not issued by this process");
  }

  @Test
  void aProofIsValidOnlyWithItsNonceOf32Bytes() {
    byte[] other = new byte[CallProofs.NONCE_LENGTH];
    random.nextBytes(other);
    CallProof changed =
        proof(authenticator.challenge(), "alice", SECRET, CALL).toBuilder()
            .setNonce(ByteString.copyFrom(other))
            .build();
    assertThatThrownBy(() -> authenticator.authenticate(changed, CALL))
        .hasMessageContaining("user alice");

    CallProof short31 = proof(authenticator.challenge(), new byte[31], "alice", SECRET, CALL);
    assertThatThrownBy(() -> authenticator.authenticate(short31, CALL))
        .hasMessage("nonce of 31 bytes, expected 32");
  }

  @Test
  void aGrantIsOpenedOnlyWithTheRequestersSecret() throws Exception {
    Caller alice =
        authenticator.authenticate(proof(authenticator.challenge(), "alice", SECRET, CALL), CALL);
    TokenGrants grants = new TokenGrants(tokens, 60_000, random);
    TokenGrant grant = grants.grant(alice, "alice~app").orElseThrow();
    ApplicationCredential credential =
        TokenSeal.open(grant, SECRET.getBytes(StandardCharsets.UTF_8));
    assertThat(credential.application()).isEqualTo("alice~app");
    assertThat(credential.user()).isEqualTo("alice");
    assertThat(grant.getClearKey().isEmpty()).isTrue();
    assertThatThrownBy(() -> TokenSeal.open(grant, new byte[32]))
        .hasMessageContaining("not created with this user's secret");
    assertThatThrownBy(
            () ->
                TokenSeal.open(
                    grant.toBuilder()
                        .setToken(
                            ByteString.copyFrom(tokens.issue("alice~app", "alice", 1).tokenBytes()))
                        .build(),
                    SECRET.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(SluiceException.class);
    assertThatThrownBy(
            () ->
                TokenSeal.open(
                    grant.toBuilder().setSealedKey(ByteString.EMPTY).build(),
                    SECRET.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(SluiceException.class)
        .hasMessageContaining("sealed key has 0 bytes");
    assertThat(grants.grant(alice, "bob~app")).isEmpty();
    assertThat(grants.grant(Caller.ANONYMOUS, "alice~app")).isEmpty();
  }

  @Test
  void warnsAboutPortsThatOtherHostsReachWithoutAuthentication() throws Exception {
    InetAddress everywhere = InetAddress.getByName("0.0.0.0");
    InetAddress local = InetAddress.getByName("127.0.0.1");
    ClusterSecurity required =
        ClusterSecurity.of(
            new SecurityConfig(
                true, Optional.empty(), Optional.empty(), 1000, false, TlsConfig.OFF),
            Map.of(ClusterSecurity.SECRET_VARIABLE, KEYS),
            Clock.systemUTC(),
            random,
            nanos::get);

    assertThat(ClusterSecurity.OFF.warning(everywhere, "rss.server.host").orElseThrow())
        .startsWith("authentication is off")
        .contains("rss.security.authentication.enabled=true")
        .contains("rss.server.host to a loopback address")
        .endsWith("address=*")
        .doesNotContain("\n");
    assertThat(
            ClusterSecurity.OFF
                .warning(InetAddress.getByName("10.1.2.3"), "rss.server.host")
                .orElseThrow())
        .endsWith("address=10.1.2.3");
    assertThat(ClusterSecurity.OFF.warning(local, "rss.server.host")).isEmpty();
    assertThat(ClusterSecurity.OFF.warning(InetAddress.getByName("::1"), "x")).isEmpty();
    assertThat(required.warning(everywhere, "rss.server.host")).isEmpty();
  }

  @Test
  void namesAndSecretsOverHttpsGiveTheRole() {
    assertThat(users.authenticate("root", SECRET + "x")).contains(Role.ADMIN);
    assertThat(users.authenticate("root", SECRET)).isEmpty();
    assertThat(users.authenticate("unknown", "")).isEmpty();
    assertThat(Users.parse("carol admin -").authenticate("carol", "-")).isEmpty();
  }

  @Test
  void badFilesAreRefusedWithoutTheirSecrets() {
    assertThatThrownBy(() -> Users.parse("alice boss " + SECRET))
        .hasMessage("line 1: unknown role; expected user, reader or admin, then the secret");
    assertThatThrownBy(() -> Users.parse("alice " + SECRET + " user"))
        .message()
        .doesNotContain(SECRET);
    assertThatThrownBy(() -> Users.parse("# comment\na~b user " + SECRET))
        .hasMessageStartingWith("line 2: expected NAME ROLE SECRET");
    assertThatThrownBy(() -> Users.parse("alice user hunter2"))
        .hasMessageContaining("at least 20 characters")
        .message()
        .doesNotContain("hunter2");
    assertThatThrownBy(() -> ClusterKeys.parse("k1 c2hvcnQ="))
        .hasMessageContaining("has 5 bytes, expected at least 32")
        .message()
        .doesNotContain("c2hvcnQ");
    assertThatThrownBy(() -> ClusterKeys.parse("# nothing")).hasMessageStartingWith("0 keys");
    assertThatThrownBy(() -> ClusterKeys.parse(KEYS + "\n" + KEYS)).hasMessageContaining("id k1");
  }
}
