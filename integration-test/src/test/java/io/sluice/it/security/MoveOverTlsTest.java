package io.sluice.it.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.ManagedChannel;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.client.SluiceClient;
import io.sluice.client.TransportKind;
import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.client.push.ApplicationAssignments;
import io.sluice.common.auth.TestUsers;
import io.sluice.common.tls.TestCertificates;
import io.sluice.common.tls.TestTls;
import io.sluice.proto.DecommissionRequest;
import io.sluice.proto.GetStatusRequest;
import io.sluice.proto.MoveProgress;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.proto.ShuffleServerControlGrpc.ShuffleServerControlBlockingStub;
import io.sluice.proto.Status;
import io.sluice.server.ShuffleServerProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A decommissioned server moves its data over TLS, and only to servers that it trusts. Control
 * ports require client certificates, and data ports the application's credential.
 */
@Timeout(120)
class MoveOverTlsTest {
  /** Times five partitions, this exceeds the server's memory, so some data is in files. */
  private static final int LARGE = 5 << 20;

  @TempDir static Path certificates;
  @TempDir Path directory;

  private SecuredCluster cluster;
  private SluiceClient alice;
  private ShuffleAssignment assignment;
  private ApplicationAssignments driver;

  @BeforeAll
  static void makeCertificates() throws Exception {
    TestCertificates.write(certificates, "sluice", "127.0.0.1");
    TestCertificates.write(certificates, "stranger", "127.0.0.1");
    Files.writeString(
        certificates.resolve("both.crt"),
        Files.readString(certificates.resolve("sluice.crt"))
            + Files.readString(certificates.resolve("stranger.crt")));
  }

  /** Servers trust only their own certificate; the coordinator and the job trust all. */
  @BeforeEach
  void startCluster() throws Exception {
    cluster = new SecuredCluster(directory);
    Map<String, String> both = certified("sluice", "both");
    both.put("rss.security.tls.client.certificates", "REQUIRED");
    cluster.start(both, certified("sluice", "sluice"));
    Map<String, String> ofClient = certified("sluice", "both");
    ofClient.put("rss.client.read.shortcircuit.enabled", "false");
    alice =
        cluster.client(
            TransportKind.GRPC_NETTY, "alice~app", "alice", SecuredCluster.ALICE, ofClient);
    assignment = SecuredCluster.assigned(alice);
    driver =
        new ApplicationAssignments(
            alice.applicationSession("me")::replacementServer, 10, System::nanoTime);
    driver.register(assignment);
    alice.applicationSession("me").onMoved(driver::moved);
  }

  @AfterEach
  void stopCluster() throws Exception {
    cluster.close();
  }

  private static Map<String, String> certified(String as, String trusts) {
    Map<String, String> options = new HashMap<>();
    options.put("rss.security.tls.enabled", "true");
    options.put("rss.security.tls.certificate.file", certificates.resolve(as + ".crt").toString());
    options.put("rss.security.tls.key.file", certificates.resolve(as + ".key").toString());
    options.put("rss.security.tls.trust.file", certificates.resolve(trusts + ".crt").toString());
    return options;
  }

  /**
   * @param certificate client certificate of the caller; empty for none
   */
  private ShuffleServerControlBlockingStub control(
      ShuffleServerProcess server, Optional<String> certificate) throws Exception {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", server.rpcPort())
            .sslContext(TestTls.caller(certificates, "both", certificate).grpcClient())
            .intercept(TestUsers.proofs("root", SecuredCluster.ROOT))
            .build();
    cluster.closing(channel::shutdownNow);
    return ShuffleServerControlGrpc.newBlockingStub(channel)
        .withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  private ShuffleServerControlBlockingStub control(ShuffleServerProcess server) throws Exception {
    return control(server, Optional.of("sluice"));
  }

  private static long pushedBlocks(ShuffleServerControlBlockingStub server) {
    return server.getStatus(GetStatusRequest.getDefaultInstance()).getPushedBlocks();
  }

  private static void leave(ShuffleServerControlBlockingStub server) {
    assertThat(server.decommission(DecommissionRequest.newBuilder().setMove(true).build()))
        .returns(Status.OK, reply -> reply.getStatus());
  }

  private void awaitLeft() throws Exception {
    cluster.server().decommissioned().toCompletableFuture().get(60, TimeUnit.SECONDS);
    cluster.server().close();
  }

  @Test
  void dataIsOnTheTargetAfterAMove() throws Exception {
    SecuredCluster.push(alice, assignment, LARGE);
    long pushed = pushedBlocks(control(cluster.server()));
    ShuffleServerProcess other = cluster.addServer("other");
    ShuffleServerControlBlockingStub withoutCertificate = control(other, Optional.empty());
    assertThatThrownBy(() -> pushedBlocks(withoutCertificate))
        .as("call without a client certificate")
        .isInstanceOf(StatusRuntimeException.class);

    leave(control(cluster.server()));
    awaitLeft();

    assertThat(pushedBlocks(control(other))).isEqualTo(pushed);
    SecuredCluster.readBack(alice, driver.newest(0), LARGE);
  }

  @Test
  void anUntrustedTargetReceivesNothingAndAnotherIsChosen() throws Exception {
    SecuredCluster.push(alice, assignment, 1000);
    ShuffleServerProcess stranger = cluster.addServer("stranger", certified("stranger", "both"));
    ShuffleServerControlBlockingStub leaving = control(cluster.server());
    String line =
        "server 127.0.0.1:"
            + stranger.rpcPort()
            + ": connection lost: the connection ended: TLS failed: ";

    leave(leaving);
    assertThat(awaitReason(leaving, line))
        .endsWith(line + "unable to find valid certification path to requested target")
        .doesNotContain("\n");
    SecuredCluster.readBack(alice, assignment, 1000);
    ShuffleServerProcess other = cluster.addServer("other");
    awaitLeft();

    assertThat(pushedBlocks(control(stranger))).isZero();
    assertThat(pushedBlocks(control(other))).isPositive();
    SecuredCluster.readBack(alice, driver.newest(0), 1000);
  }

  private static String awaitReason(ShuffleServerControlBlockingStub server, String part) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    String last = "";
    while (System.nanoTime() < deadline) {
      MoveProgress progress =
          server.getStatus(GetStatusRequest.getDefaultInstance()).getLoad().getMove();
      last = progress.getWaitsFor();
      if (last.contains(part)) {
        return last;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
    throw new AssertionError("move not completed: " + last);
  }
}
