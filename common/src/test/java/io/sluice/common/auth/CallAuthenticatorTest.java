package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.sluice.common.error.SluiceException;
import io.sluice.common.tls.TlsConfig;
import io.sluice.proto.CallProof;
import io.sluice.proto.ChallengeReply;
import io.sluice.proto.ChallengeRequest;
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
  private final Users users =
      Users.parse(
          TestUsers.line("alice", "user", SECRET)
              + TestUsers.line("root", "admin", SECRET + "x")
              + "carol admin -");
  private final CallAuthenticator authenticator = newAuthenticator();

  private CallAuthenticator newAuthenticator() {
    return new CallAuthenticator(tokens, () -> users, random, nanos::get);
  }

  private CallProof proof(CallAuthenticator to, String user, String secret) throws SluiceException {
    return proof(to, new byte[CallProofs.NONCE_LENGTH], credential(user, secret));
  }

  private static UserCredential credential(String user, String secret) {
    return new UserCredential(user, secret.getBytes(StandardCharsets.UTF_8));
  }

  private static CallProof proof(CallAuthenticator to, byte[] nonce, UserCredential user)
      throws SluiceException {
    ChallengeReply reply = challenge(to, user.user());
    CallProof.Builder proof =
        CallProof.newBuilder()
            .setChallenge(reply.getChallenge())
            .setNonce(ByteString.copyFrom(nonce));
    byte[] serverKey = user.prove(proof, reply, CALL);
    assertThat(serverKey).hasSize(32);
    return proof.build();
  }

  private static ChallengeReply challenge(CallAuthenticator to, String user) {
    return to.challenge(ChallengeRequest.newBuilder().setUser(user).build());
  }

  @Test
  void aUserIsKnownByTheSecret() throws Exception {
    Caller alice = authenticator.authenticate(proof(authenticator, "alice", SECRET), CALL);
    assertThat(alice.text()).isEqualTo("user alice");
    assertThat(alice.owns("alice~app")).isTrue();
    assertThat(alice.owns("alice")).isFalse();
    assertThat(alice.owns("alice2~app")).isFalse();
    assertThat(alice.toString()).doesNotContain(SECRET);
  }

  @Test
  void aWrongSecretAndAnUnknownUserLookAlike() {
    assertThatThrownBy(
            () -> authenticator.authenticate(proof(authenticator, "alice", SECRET + "y"), CALL))
        .hasMessage("user alice is unknown, or its secret is wrong");
    assertThatThrownBy(
            () -> authenticator.authenticate(proof(authenticator, "mallory", SECRET), CALL))
        .hasMessage("user mallory is unknown, or its secret is wrong");
  }

  @Test
  void anAnswerIsValidOnceForOneCallOfOneProcessUntilItExpires() throws Exception {
    CallProof once = proof(authenticator, "alice", SECRET);
    assertThat(authenticator.authenticate(once, CALL).name()).isEqualTo("alice");
    assertThatThrownBy(() -> authenticator.authenticate(once, CALL))
        .hasMessageContaining("answered before");

    CallProof otherCall = proof(authenticator, "alice", SECRET);
    assertThatThrownBy(() -> authenticator.authenticate(otherCall, CALL + "X"))
        .isInstanceOf(SluiceException.class);

    CallProof late = proof(authenticator, "alice", SECRET);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(30));
    assertThatThrownBy(() -> authenticator.authenticate(late, CALL))
        .hasMessageContaining("has expired");

    CallProof elsewhere = proof(newAuthenticator(), "alice", SECRET);
    assertThatThrownBy(() -> authenticator.authenticate(elsewhere, CALL))
        .hasMessageContaining("not issued by this process");
  }

  @Test
  void aProofIsValidOnlyWithItsNonceOf32Bytes() throws Exception {
    byte[] other = new byte[CallProofs.NONCE_LENGTH];
    random.nextBytes(other);
    CallProof changed =
        proof(authenticator, "alice", SECRET).toBuilder()
            .setNonce(ByteString.copyFrom(other))
            .build();
    assertThatThrownBy(() -> authenticator.authenticate(changed, CALL))
        .hasMessageContaining("user alice");

    CallProof short31 = proof(authenticator, new byte[31], credential("alice", SECRET));
    assertThatThrownBy(() -> authenticator.authenticate(short31, CALL))
        .hasMessage("nonce of 31 bytes, expected 32");
  }

  @Test
  void saltsDoNotShowWhetherAUserIsKnown() {
    ChallengeReply known = challenge(authenticator, "alice");
    ChallengeReply unknown = challenge(authenticator, "mallory");
    assertThat(unknown.getIterations()).isEqualTo(known.getIterations());
    assertThat(unknown.getSalt().size()).isEqualTo(known.getSalt().size()).isEqualTo(16);
    assertThat(challenge(authenticator, "mallory").getSalt()).isEqualTo(unknown.getSalt());
    assertThat(challenge(authenticator, "alice").getSalt()).isEqualTo(known.getSalt());
    assertThat(challenge(authenticator, "mallory2").getSalt()).isNotEqualTo(unknown.getSalt());
    assertThat(challenge(newAuthenticator(), "mallory").getSalt()).isNotEqualTo(unknown.getSalt());
    // A user with a certificate only.
    assertThat(challenge(authenticator, "carol").getSalt().size()).isEqualTo(16);
    // Other callers derive no keys.
    assertThat(authenticator.challenge(ChallengeRequest.getDefaultInstance()).getSalt().isEmpty())
        .isTrue();
  }

  @Test
  void theUsersFileAloneLetsNobodyLogIn() throws Exception {
    ScramVerifier stolen = users.find("alice").flatMap(Users.User::verifier).orElseThrow();
    for (byte[] key : new byte[][] {stolen.storedKey(), stolen.serverKey()}) {
      CallProof honest = proof(authenticator, "alice", SECRET);
      byte[] mac = honest.getMac().toByteArray();
      ScramKeys.Exchange exchange =
          new ScramKeys.Exchange(
              "alice",
              ByteString.copyFrom(stolen.salt()),
              stolen.iterations(),
              honest.getChallenge(),
              honest.getNonce(),
              CALL);
      // The signature that only the stored key is needed for, with a stolen key for the client's.
      byte[] signature = ScramKeys.clientKey(new byte[32], stolen.storedKey(), exchange);
      for (int i = 0; i < mac.length; i++) {
        mac[i] = (byte) (key[i] ^ signature[i]);
      }
      CallProof forged = honest.toBuilder().setMac(ByteString.copyFrom(mac)).build();
      assertThatThrownBy(() -> authenticator.authenticate(forged, CALL))
          .hasMessage("user alice is unknown, or its secret is wrong");
      assertThat(authenticator.authenticate(honest, CALL).name()).isEqualTo("alice");
    }
  }

  @Test
  void aGrantIsOpenedOnlyByTheCallThatGotIt() throws Exception {
    UserCredential user = credential("alice", SECRET);
    byte[] nonce = new byte[CallProofs.NONCE_LENGTH];
    Caller alice = authenticator.authenticate(proof(authenticator, nonce, user), CALL);
    TokenGrants grants = new TokenGrants(tokens, 60_000, random);
    TokenGrant grant = grants.grant(alice, "alice~app").orElseThrow();
    assertThat(grant.getClearKey().isEmpty()).isTrue();
    ScramVerifier stolen = users.find("alice").flatMap(Users.User::verifier).orElseThrow();
    for (byte[] key : new byte[][] {stolen.storedKey(), stolen.serverKey(), new byte[32]}) {
      assertThatThrownBy(() -> TokenSeal.opened(grant, key))
          .hasMessageContaining("not created for this call");
    }
    ApplicationCredential credential = TokenSeal.open(grant, user);
    assertThat(credential.application()).isEqualTo("alice~app");
    assertThat(credential.user()).isEqualTo("alice");
    // A second time, as a replay.
    assertThatThrownBy(() -> TokenSeal.open(grant, user))
        .hasMessage("token grant: does not belong to a call of this process");

    assertThatThrownBy(
            () ->
                TokenSeal.opened(
                    grant.toBuilder()
                        .setToken(
                            ByteString.copyFrom(tokens.issue("alice~app", "alice", 1).tokenBytes()))
                        .build(),
                    alice.provedBy().exchangeKey().orElseThrow()))
        .isInstanceOf(SluiceException.class);
    assertThatThrownBy(
            () ->
                TokenSeal.opened(
                    grant.toBuilder().setSealedKey(ByteString.EMPTY).build(),
                    alice.provedBy().exchangeKey().orElseThrow()))
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
  void badFilesAreRefusedWithoutTheirSecrets() {
    assertThatThrownBy(() -> Users.parse("alice boss " + SECRET))
        .hasMessage("line 1: unknown role; expected user, reader or admin, then the verifier");
    assertThatThrownBy(() -> Users.parse("alice " + SECRET + " user"))
        .message()
        .doesNotContain(SECRET);
    assertThatThrownBy(() -> Users.parse("# comment\na~b user " + SECRET))
        .hasMessageStartingWith("line 2: expected NAME ROLE VERIFIER");
    assertThatThrownBy(() -> Users.parse("alice user " + SECRET))
        .hasMessage(
            "line 1: not a verifier; expected NAME ROLE SCRAM-SHA-256$..., never the secret itself;"
                + " create the line with `sluice secure user DIRECTORY NAME ROLE`");
    assertThatThrownBy(() -> ClusterKeys.parse("k1 c2hvcnQ="))
        .hasMessageContaining("has 5 bytes, expected at least 32")
        .message()
        .doesNotContain("c2hvcnQ");
    assertThatThrownBy(() -> ClusterKeys.parse("# nothing")).hasMessageStartingWith("0 keys");
    assertThatThrownBy(() -> ClusterKeys.parse(KEYS + "\n" + KEYS)).hasMessageContaining("id k1");
  }
}
