package io.sluice.benchmark.jmh;

import com.google.protobuf.ByteString;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.ApplicationKey;
import io.sluice.common.auth.Authorities;
import io.sluice.common.auth.Identity;
import io.sluice.common.auth.OwnIdentity;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.Revocations;
import io.sluice.common.auth.TokenIssuer;
import io.sluice.common.auth.TokenVerifier;
import io.sluice.common.tls.CertificateAuthority;
import io.sluice.common.tls.CertificateAuthority.Validity;
import io.sluice.proto.HelloChallenge;
import io.sluice.proto.HelloReply;
import io.sluice.transport.protocol.ClientHandshake;
import io.sluice.transport.protocol.ConnectionGuard;
import io.sluice.transport.protocol.HandshakeResult;
import io.sluice.transport.protocol.ProofScope;
import io.sluice.transport.protocol.ServerHandshake;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Time for the signatures of a connection: single ones, the whole handshake of client and server
 * without a network, and the part of the server.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 10, time = 1)
public class ProofBenchmark {
  private static final String HOST = "127.0.0.1";
  private static final String APPLICATION = "alice~app-202";
  private static final String LABEL = "sluice client v2";

  private final SecureRandom random = new SecureRandom();
  private final Clock clock = Clock.systemUTC();
  private final byte[] nonce = new byte[32];
  private OwnIdentity server;
  private TokenIssuer issuer;
  private ByteString publicKey;
  private ApplicationCredential credential;
  private TokenVerifier verifier;
  private ConnectionGuard guard;
  private byte[] signature;

  @Setup(Level.Trial)
  public void prepare() throws Exception {
    Validity valid = Validity.of(clock, Duration.ofDays(1));
    CertificateAuthority authority = CertificateAuthority.create("benchmark", valid, random);
    Authorities authorities = Authorities.parse(authority.certificatePem());
    OwnIdentity coordinator = process(authority, authorities, ProcessRole.COORDINATOR, valid);
    server = process(authority, authorities, ProcessRole.SERVER, valid);
    ApplicationKey key = ApplicationKey.generate(random);
    publicKey = ByteString.copyFrom(key.publicKey());
    issuer = new TokenIssuer(coordinator, random);
    credential = ApplicationCredential.of(ByteString.copyFrom(issueToken()), key, authorities);
    verifier = new TokenVerifier(server, new Revocations(clock));
    guard = guard(verifier);
    random.nextBytes(nonce);
    signature = signProof();
  }

  private OwnIdentity process(
      CertificateAuthority authority, Authorities authorities, ProcessRole role, Validity valid) {
    Identity identity =
        Identity.parse(Identity.create(authority, role, role.text(), List.of(HOST), valid));
    return new OwnIdentity(() -> identity, () -> authorities, clock);
  }

  private ConnectionGuard guard(TokenVerifier tokens) {
    return new ConnectionGuard(tokens, true, random, Runnable::run);
  }

  /** A coordinator signs a token, at registrations and renewals of leases. */
  @Benchmark
  public byte[] issueToken() {
    return issuer.issue(APPLICATION, "alice", publicKey, 3_600_000);
  }

  /** One signature, as a client makes for each connection. */
  @Benchmark
  public byte[] signProof() {
    return credential.sign(LABEL, nonce);
  }

  /** One verification, of a remembered token. */
  @Benchmark
  public boolean verifyProof() throws Exception {
    return verifier.verify(credential.token()).signed(signature, LABEL, nonce);
  }

  /** Client and server of a connection; the server knows the token of an earlier one. */
  @Benchmark
  public HandshakeResult handshake() throws Exception {
    return handshake(guard);
  }

  /** As {@link #handshake()}, for the first connection of an application to the server. */
  @Benchmark
  public HandshakeResult firstHandshake() throws Exception {
    return handshake(guard(new TokenVerifier(server, new Revocations(clock))));
  }

  private HandshakeResult handshake(ConnectionGuard of) throws Exception {
    ClientHandshake client =
        new ClientHandshake(
            APPLICATION, "benchmark", Optional.of(credential), ProofScope.DATA, HOST);
    ServerHandshake accepting = new ServerHandshake();
    HelloChallenge challenge =
        accepting
            .onHello(client.hello(), of, hello -> HelloReply.newBuilder().setEpoch(1).build())
            .orElseThrow();
    accepting.onProved(accepting.onProof(client.prove(challenge)).call());
    return client.finish(accepting.reply());
  }
}
