package io.sluice.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.sluice.common.auth.ApplicationCredential;
import io.sluice.common.auth.ApplicationKey;
import io.sluice.common.auth.CallProofs;
import io.sluice.common.auth.ProcessRole;
import io.sluice.common.auth.TestAuthority;
import io.sluice.common.auth.TestUsers;
import io.sluice.common.config.ConfigSet;
import io.sluice.metrics.http.HttpTimeouts;
import io.sluice.proto.ClientConfigurationRequest;
import io.sluice.proto.CoordinatorGrpc;
import io.sluice.proto.ListApplicationsRequest;
import io.sluice.proto.RegisterApplicationRequest;
import io.sluice.proto.RegisterShuffleRequest;
import io.sluice.proto.RenewLeaseReply;
import io.sluice.proto.RenewLeaseRequest;
import io.sluice.proto.ShuffleId;
import io.sluice.proto.UnregisterApplicationRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Calls of drivers at a coordinator with virtual time, with the proofs of users and of tasks. */
@Timeout(120)
class RemovedUserTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef";
  private static final String APPLICATION = "ann~app";

  @TempDir private Path directory;
  private final AtomicLong nanos = new AtomicLong();
  private final List<ManagedChannel> channels = new ArrayList<>();
  private CoordinatorProcess coordinator;

  /** The wall clock, which shows the virtual time. */
  private final class VirtualClock extends Clock {
    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public Instant instant() {
      return Instant.ofEpochSecond(1_800_000_000L, nanos.get());
    }
  }

  private final TestAuthority authority = new TestAuthority(new VirtualClock());

  @BeforeEach
  void start() throws IOException {
    users("ann", "eve");
    Map<String, String> settings =
        new HashMap<>(authority.files(directory, ProcessRole.COORDINATOR));
    settings.put("rss.coordinator.host", "127.0.0.1");
    settings.put("rss.rpc.server.port", "0");
    settings.put("rss.jetty.http.port", "0");
    settings.put("rss.security.authentication.enabled", "true");
    settings.put("rss.security.users.file", directory.resolve("users").toString());
    ConfigSet set = ConfigSet.of(CoordinatorConfig.SCHEMA, settings);
    coordinator =
        CoordinatorProcess.start(
            new Inputs(
                set,
                () -> set,
                new VirtualClock(),
                nanos::get,
                RandomGenerator.of("L64X128MixRandom"),
                HttpTimeouts.DEFAULT));
  }

  @AfterEach
  void stop() throws InterruptedException {
    for (ManagedChannel channel : channels) {
      channel.shutdownNow().awaitTermination(60, TimeUnit.SECONDS);
    }
    coordinator.close();
  }

  private void users(String... names) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (String name : names) {
      lines.append(TestUsers.line(name, name.equals("eve") ? "reader" : "user", SECRET));
    }
    Files.writeString(directory.resolve("users"), lines);
  }

  private CoordinatorGrpc.CoordinatorBlockingStub as(CallProofs proofs) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", coordinator.rpcPort())
            .usePlaintext()
            .intercept(proofs)
            .build();
    channels.add(channel);
    return CoordinatorGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
  }

  private CoordinatorGrpc.CoordinatorBlockingStub asUser(String name) {
    return as(TestUsers.proofs(name, SECRET));
  }

  /** As a task of the application, which has a token that is valid for a day. */
  private CoordinatorGrpc.CoordinatorBlockingStub asTask() {
    ApplicationCredential credential =
        authority.issue(APPLICATION, "ann", TimeUnit.DAYS.toMillis(1));
    return as(
        CallProofs.ofApplication(
            credential, ProcessRole.COORDINATOR, new SecureRandom(), new VirtualClock()));
  }

  private static RegisterApplicationRequest register() {
    return RegisterApplicationRequest.newBuilder()
        .setApplication(APPLICATION)
        .setPublicKey(ByteString.copyFrom(ApplicationKey.generate(new SecureRandom()).publicKey()))
        .build();
  }

  private static RenewLeaseRequest renew() {
    return RenewLeaseRequest.newBuilder().setApplication(APPLICATION).build();
  }

  /** Every call of a driver. */
  private static List<ThrowingCallable> driverCalls(CoordinatorGrpc.CoordinatorBlockingStub stub) {
    return List.of(
        () -> stub.registerApplication(register()),
        () -> stub.renewLease(renew()),
        () ->
            stub.registerShuffle(
                RegisterShuffleRequest.newBuilder()
                    .setShuffle(ShuffleId.newBuilder().setApplication(APPLICATION))
                    .setPartitionCount(1)
                    .setReplicas(1)
                    .build()),
        () ->
            stub.unregisterApplication(
                UnregisterApplicationRequest.newBuilder().setApplication(APPLICATION).build()),
        () -> stub.clientConfiguration(ClientConfigurationRequest.getDefaultInstance()));
  }

  private static void assertRefused(ThrowingCallable call, Status.Code code, String why) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              assertThat(e.getStatus().getCode()).isEqualTo(code);
              assertThat(e.getStatus().getDescription()).contains(why);
            });
  }

  @Test
  void theTokenOfAnApplicationMakesNoCallsOfADriver() {
    assertThat(asUser("ann").registerApplication(register()).hasToken()).isTrue();
    for (ThrowingCallable call : driverCalls(asTask())) {
      assertRefused(call, Status.Code.PERMISSION_DENIED, "needs the proof of a user");
    }
    assertThat(asUser("ann").renewLease(renew()).getStatus()).isEqualTo(io.sluice.proto.Status.OK);
  }

  @Test
  void aReaderMakesNoCallsOfADriver() {
    for (ThrowingCallable call : driverCalls(asUser("eve"))) {
      assertRefused(call, Status.Code.PERMISSION_DENIED, "found user eve, who only looks");
    }
  }

  @Test
  void aRemovedUserLosesTheLeaseWithinAMinute() throws Exception {
    CoordinatorGrpc.CoordinatorBlockingStub ann = asUser("ann");
    assertThat(ann.registerApplication(register()).getStatus())
        .isEqualTo(io.sluice.proto.Status.OK);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(50));
    RenewLeaseReply renewed = ann.renewLease(renew());
    assertThat(renewed.getStatus()).isEqualTo(io.sluice.proto.Status.OK);
    assertThat(leaseRemainingMs()).isEqualTo(60_000);

    users("eve");
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
    for (ThrowingCallable call : driverCalls(ann)) {
      assertRefused(call, Status.Code.UNAUTHENTICATED, "user ann is unknown");
    }
    assertRefused(
        () -> asTask().renewLease(renew()), Status.Code.PERMISSION_DENIED, "proof of a user");

    // The refused calls did not extend the lease: it ends a minute after the last renewal.
    assertThat(leaseRemainingMs()).isEqualTo(58_000);
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(58));
    users("ann", "eve");
    nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
    assertThat(asUser("ann").renewLease(renew()).getStatus())
        .isEqualTo(io.sluice.proto.Status.UNKNOWN_APPLICATION);
  }

  private long leaseRemainingMs() {
    return asUser("eve")
        .listApplications(ListApplicationsRequest.getDefaultInstance())
        .getApplications(0)
        .getLeaseRemainingMs();
  }
}
