package io.sluice.benchmark.jmh;

import io.grpc.BindableService;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.cli.secure.LocalSecrets;
import io.sluice.cli.secure.SecureSources;
import io.sluice.common.auth.AuditLog;
import io.sluice.common.auth.CallDenials;
import io.sluice.common.auth.CallProofs;
import io.sluice.common.auth.ClusterSecurity;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.SecurityConfig;
import io.sluice.common.auth.UserCredential;
import io.sluice.common.tls.HandshakeThreads;
import io.sluice.common.tls.TlsConfig;
import io.sluice.demo.staging.ClusterSecrets;
import io.sluice.demo.staging.Scratch;
import io.sluice.proto.GetStatusReply;
import io.sluice.proto.GetStatusRequest;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.proto.ShuffleServerControlGrpc.ShuffleServerControlBlockingStub;
import io.sluice.proto.ShuffleServerControlGrpc.ShuffleServerControlImplBase;
import io.sluice.server.cluster.ControlRules;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Control calls per second of one caller over the loopback interface: without authentication, as a
 * coordinator, whose calls have two signatures, and as a user, whose calls have none. A call with a
 * proof requests a challenge first.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 10, time = 1)
public class ControlCallBenchmark {
  private static final int TIMEOUT_SECONDS = 60;

  /** Proof of the caller. */
  public enum Proof {
    NONE,
    PROCESS,
    USER
  }

  @Param public Proof proof;

  private final SecureRandom random = new SecureRandom();
  private Path directory;
  private ExecutorService signatures;
  private Server server;
  private ManagedChannel channel;
  private ShuffleServerControlBlockingStub stub;

  @Setup(Level.Trial)
  public void start() throws IOException {
    directory = Files.createTempDirectory("sluice-bench-calls");
    signatures = HandshakeThreads.create("benchmark-proofs");
    Path secure = directory.resolve("secure");
    ClusterSecrets.Access access = new LocalSecrets(SecureSources.ofMachine()).create(secure);
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .addService(
                new ShuffleServerControlImplBase() {
                  @Override
                  public void getStatus(
                      GetStatusRequest request, StreamObserver<GetStatusReply> replies) {
                    replies.onNext(GetStatusReply.getDefaultInstance());
                    replies.onCompleted();
                  }
                });
    for (BindableService service :
        security(access.server(), ProcessRole.SERVER)
            .guard(
                builder,
                Set.of(),
                new ControlRules(proof == Proof.NONE),
                new CallDenials(new AuditLog(), System::nanoTime),
                signatures)) {
      builder.addService(service);
    }
    server = builder.build().start();
    List<ClientInterceptor> proofs =
        switch (proof) {
          case NONE -> List.of();
          case PROCESS ->
              security(access.coordinator(), ProcessRole.COORDINATOR).proofs(ProcessRole.SERVER);
          case USER -> List.of(CallProofs.ofUser(admin(secure), random));
        };
    channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
            .usePlaintext()
            .intercept(proofs)
            .build();
    stub = ShuffleServerControlGrpc.newBlockingStub(channel);
  }

  private ClusterSecurity security(Map<String, String> settings, ProcessRole role)
      throws IOException {
    return ClusterSecurity.of(
        new SecurityConfig(
            true,
            Optional.of(Path.of(settings.get("rss.security.authority.file"))),
            Optional.of(Path.of(settings.get("rss.security.identity.file"))),
            Optional.of(Path.of(settings.get("rss.security.users.file"))),
            3_600_000,
            proof == Proof.NONE,
            TlsConfig.OFF),
        role,
        Clock.systemUTC(),
        random,
        System::nanoTime);
  }

  private static UserCredential admin(Path secure) throws IOException {
    String secret = Files.readString(secure.resolve("user-" + LocalSecrets.ADMIN)).strip();
    return new UserCredential(LocalSecrets.ADMIN, secret.getBytes(StandardCharsets.UTF_8));
  }

  /** One call. */
  @Benchmark
  public GetStatusReply call() {
    return stub.withDeadlineAfter(TIMEOUT_SECONDS, TimeUnit.SECONDS)
        .getStatus(GetStatusRequest.getDefaultInstance());
  }

  @TearDown(Level.Trial)
  public void stop() throws IOException, InterruptedException {
    channel.shutdownNow();
    server.shutdownNow();
    boolean unused =
        channel.awaitTermination(TIMEOUT_SECONDS, TimeUnit.SECONDS)
            && server.awaitTermination(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    signatures.shutdownNow();
    Scratch.remove(directory);
  }
}
