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
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallAuthenticatorTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final String CALL = "sluice.v1.Coordinator/RegisterApplication";

  @TempDir private Path directory;

  private final SecureRandom random = new SecureRandom();
  private final AtomicLong nanos = new AtomicLong();
  private final TestAuthority authority = new TestAuthority();
  private final TokenVerifier tokens = authority.verifier();
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
    Caller alice = authenticator.authenticate(proof(authenticator, "alice", SECRET), CALL).caller();
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
    assertThat(authenticator.authenticate(once, CALL).caller().name()).isEqualTo("alice");
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
  void theUsersFileAloneAllowsNoLogin() throws Exception {
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
      assertThat(authenticator.authenticate(honest, CALL).caller().name()).isEqualTo("alice");
    }
  }

  @Test
  void aGrantIsOpenedOnlyByTheCallThatGotIt() throws Exception {
    UserCredential user = credential("alice", SECRET);
    byte[] nonce = new byte[CallProofs.NONCE_LENGTH];
    Caller alice = authenticator.authenticate(proof(authenticator, nonce, user), CALL).caller();
    ApplicationKey key = ApplicationKey.generate(random);
    ByteString publicKey = ByteString.copyFrom(key.publicKey());
    TokenGrants grants = authority.grants(60_000);
    TokenGrant grant = grants.grant(alice, "alice~app", publicKey).orElseThrow();
    ApplicationCredential credential = TokenGrants.open(grant, key, user);
    assertThat(credential.application()).isEqualTo("alice~app");
    assertThat(credential.user()).isEqualTo("alice");
    // A second time, as a replay.
    assertThatThrownBy(() -> TokenGrants.open(grant, key, user))
        .hasMessage("token grant: does not belong to a call of this process");

    assertThat(grants.grant(alice, "bob~app", publicKey)).isEmpty();
    assertThat(grants.grant(Caller.ANONYMOUS, "alice~app", publicKey)).isEmpty();
    assertThat(grants.grant(alice, "alice~app", ByteString.EMPTY)).isEmpty();
  }

  /** A man in the middle replaces the token, or the authorities that verify servers. */
  @Test
  void aChangedGrantIsRefused() throws Exception {
    ApplicationKey key = ApplicationKey.generate(random);
    ByteString falseAuthority = new TestAuthority().authorities().encoded().get(0);
    ByteString otherToken = authority.issue("alice~app", "alice", 1).token();
    for (UnaryOperator<TokenGrant.Builder> change :
        List.<UnaryOperator<TokenGrant.Builder>>of(
            grant -> grant.setToken(otherToken),
            grant -> grant.setAuthorities(0, falseAuthority),
            grant -> grant.addAuthorities(falseAuthority),
            TokenGrant.Builder::clearMac)) {
      UserCredential user = credential("alice", SECRET);
      TokenGrant changed = change.apply(granted(user, key).toBuilder()).build();
      assertThatThrownBy(() -> TokenGrants.open(changed, key, user))
          .isInstanceOf(SluiceException.class)
          .hasMessageContaining("not created for this call");
    }
    UserCredential user = credential("alice", SECRET);
    TokenGrant forOtherKey = granted(user, ApplicationKey.generate(random));
    assertThatThrownBy(() -> TokenGrants.open(forOtherKey, key, user))
        .hasMessageContaining("is for another key");
  }

  private TokenGrant granted(UserCredential user, ApplicationKey key) throws SluiceException {
    byte[] nonce = new byte[CallProofs.NONCE_LENGTH];
    Caller alice = authenticator.authenticate(proof(authenticator, nonce, user), CALL).caller();
    return authority
        .grants(60_000)
        .grant(alice, "alice~app", ByteString.copyFrom(key.publicKey()))
        .orElseThrow();
  }

  private byte[] freshChallenge() {
    return freshChallenge(authenticator);
  }

  private static byte[] freshChallenge(CallAuthenticator of) {
    return of.challenge(ChallengeRequest.getDefaultInstance()).getChallenge().toByteArray();
  }

  private CallProof signed(OwnIdentity caller, OwnIdentity called, byte[] challenge) {
    byte[] nonce = new byte[CallProofs.NONCE_LENGTH];
    byte[] signature =
        caller
            .identity()
            .sign(
                CallProofs.CALL_LABEL,
                challenge,
                nonce,
                CallAuthenticator.ascii(CALL),
                called.identity().certificate().hash());
    return CallProof.newBuilder()
        .setChallenge(ByteString.copyFrom(challenge))
        .setNonce(ByteString.copyFrom(nonce))
        .setCertificate(caller.identity().certificate().der())
        .setSignature(ByteString.copyFrom(signature))
        .build();
  }

  @Test
  void aProcessIsKnownByItsCertificate() throws Exception {
    OwnIdentity server = authority.process(ProcessRole.SERVER, "data-1");

    CallProof proof = signed(server, tokens.process(), freshChallenge());
    Caller caller = authenticator.authenticate(proof, CALL).caller();

    assertThat(caller.kind()).isEqualTo(Caller.Kind.SERVER);
    assertThat(caller.isAt("data-1")).isTrue();
    assertThat(caller.isAt("data-2")).isFalse();
    assertThat(caller.owns("alice~app")).isFalse();
  }

  /** Without that, one call failed each time `sluice secure rotate` replaced an identity. */
  @Test
  void aCallContinuesWhileTheIdentityOfTheCalledProcessIsReplaced() throws Exception {
    Identity before = authority.process(ProcessRole.SERVER).identity();
    Identity after = authority.process(ProcessRole.SERVER).identity();
    AtomicReference<Identity> file = new AtomicReference<>(before);
    OwnIdentity called = new OwnIdentity(file::get, authority::authorities, Clock.systemUTC());
    CallAuthenticator replacing =
        new CallAuthenticator(authority.verifier(called), () -> users, random, nanos::get);
    OwnIdentity caller = authority.process(ProcessRole.COORDINATOR);
    byte[] challenge = freshChallenge(replacing);
    CallProof begun = signed(caller, called, challenge);
    CallProof ofUser = proof(replacing, "alice", SECRET);
    byte[] late = freshChallenge(replacing);
    CallProof expired = signed(caller, called, late);

    file.set(after);

    CallAuthenticator.Authenticated found = replacing.authenticate(begun, CALL);
    assertThat(found.caller().kind()).isEqualTo(Caller.Kind.COORDINATOR);
    assertThat(
            before
                .certificate()
                .signed(
                    found.replyProof().toByteArray(),
                    CallProofs.REPLY_LABEL,
                    challenge,
                    begun.getNonce().toByteArray(),
                    CallAuthenticator.ascii(CALL)))
        .as("the caller knows this certificate")
        .isTrue();
    assertThat(replacing.authenticate(ofUser, CALL).caller().name()).isEqualTo("alice");
    byte[] next = freshChallenge(replacing);
    assertThat(replacing.authenticate(signed(caller, called, next), CALL).caller().kind())
        .isEqualTo(Caller.Kind.COORDINATOR);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(30));
    assertThatThrownBy(() -> replacing.authenticate(expired, CALL))
        .hasMessageContaining("has expired");
  }

  @Test
  void aProofForAReplacedIdentityIsNotValidForALaterChallenge() throws Exception {
    OwnIdentity replaced = authority.process(ProcessRole.SERVER);
    AtomicReference<Identity> file = new AtomicReference<>(replaced.identity());
    OwnIdentity called = new OwnIdentity(file::get, authority::authorities, Clock.systemUTC());
    CallAuthenticator replacing =
        new CallAuthenticator(authority.verifier(called), () -> users, random, nanos::get);
    assertThat(freshChallenge(replacing)).isNotEmpty();
    file.set(authority.process(ProcessRole.SERVER).identity());

    CallProof proof =
        signed(authority.process(ProcessRole.COORDINATOR), replaced, freshChallenge(replacing));

    assertThatThrownBy(() -> replacing.authenticate(proof, CALL))
        .hasMessageContaining("is not valid for this process");
  }

  /** A stolen server cannot use a call that it receives for a call to another process. */
  @Test
  void aProofForAnotherProcessIsNotValid() {
    OwnIdentity coordinator = authority.process(ProcessRole.COORDINATOR);
    OwnIdentity stolen = authority.process(ProcessRole.SERVER, "data-1");

    CallProof forStolen = signed(coordinator, stolen, freshChallenge());

    assertThatThrownBy(() -> authenticator.authenticate(forStolen, CALL))
        .hasMessageContaining("is not valid for this process");
  }

  @Test
  void aCertificateWithoutItsKeyProvesNothing() {
    OwnIdentity coordinator = authority.process(ProcessRole.COORDINATOR);
    OwnIdentity stolen = authority.process(ProcessRole.SERVER, "data-1");

    CallProof proof =
        signed(stolen, tokens.process(), freshChallenge()).toBuilder()
            .setCertificate(coordinator.identity().certificate().der())
            .build();

    assertThatThrownBy(() -> authenticator.authenticate(proof, CALL))
        .hasMessageContaining("signature of coordinator \"test-coordinator\" is not valid");
  }

  @Test
  void aProcessOfAnotherClusterIsUnknown() {
    OwnIdentity other = new TestAuthority().process(ProcessRole.COORDINATOR);

    CallProof proof = signed(other, tokens.process(), freshChallenge());

    assertThatThrownBy(() -> authenticator.authenticate(proof, CALL))
        .hasMessageContaining("no authority of this cluster has signed it");
  }

  @Test
  void warnsAboutPortsThatOtherHostsReachWithoutAuthentication() throws Exception {
    InetAddress everywhere = InetAddress.getByName("0.0.0.0");
    InetAddress local = InetAddress.getByName("127.0.0.1");
    ClusterSecurity required =
        authority.security(directory, ProcessRole.SERVER, true, Optional.empty(), TlsConfig.OFF);

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
  }

  @Test
  void anIdentityThatCannotBeUsedIsOneLine() throws Exception {
    Map<String, String> ofServer = authority.files(directory, ProcessRole.SERVER);
    Path identity = Path.of(ofServer.get(SecurityConfig.IDENTITY_FILE.name()));
    Path trusted = Path.of(ofServer.get(SecurityConfig.AUTHORITY_FILE.name()));
    Path other = Files.writeString(directory.resolve("other"), new TestAuthority().authorityPem());

    assertRefused(
        Optional.empty(),
        Optional.empty(),
        "rss.security.authentication.enabled is true, but this process has no identity; set"
            + " rss.security.identity.file and rss.security.authority.file");
    assertRefused(Optional.of(identity), Optional.empty(), "must be set together");
    assertRefused(
        Optional.of(identity),
        Optional.of(trusted),
        "expected the certificate of a coordinator, found that of server \"test-server\"");
    assertRefused(
        Optional.of(identity), Optional.of(other), "no authority of this cluster has signed it");
    assertRefused(Optional.of(trusted), Optional.of(trusted), "has no PKCS#8 key");
  }

  private void assertRefused(Optional<Path> identity, Optional<Path> trusted, String why) {
    SecurityConfig config =
        new SecurityConfig(true, trusted, identity, Optional.empty(), 1_000, false, TlsConfig.OFF);
    assertThatThrownBy(
            () ->
                ClusterSecurity.of(
                    config, ProcessRole.COORDINATOR, Clock.systemUTC(), random, nanos::get))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(why)
        .message()
        .doesNotContain("\n");
  }
}
