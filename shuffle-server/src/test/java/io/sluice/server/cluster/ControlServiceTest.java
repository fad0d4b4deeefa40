package io.sluice.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.sluice.common.auth.CertificateExpiry;
import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigKey;
import io.sluice.common.config.ConfigReload;
import io.sluice.common.config.ConfigSchema;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.error.SluiceException;
import io.sluice.proto.DecommissionReply;
import io.sluice.proto.DecommissionRequest;
import io.sluice.proto.GetConfigurationRequest;
import io.sluice.proto.GetStatusReply;
import io.sluice.proto.GetStatusRequest;
import io.sluice.proto.GetThreadsReply;
import io.sluice.proto.GetThreadsRequest;
import io.sluice.proto.ReloadConfigurationReply;
import io.sluice.proto.ReloadConfigurationRequest;
import io.sluice.proto.ServerLoad;
import io.sluice.proto.ServerState;
import io.sluice.proto.ShuffleServerControlGrpc;
import io.sluice.proto.Status;
import io.sluice.proto.UnregisterShuffleApplicationRequest;
import io.sluice.proto.UnregisterShufflesReply;
import io.sluice.proto.UnregisterShufflesRequest;
import io.sluice.server.log.ShuffleKey;
import io.sluice.server.log.ShuffleLog;
import io.sluice.server.log.ShuffleStore;
import io.sluice.server.log.StoreConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ControlServiceTest {
  private static final ConfigSchema SCHEMA =
      ConfigSchema.builder("test")
          .title("Test")
          .keys(
              ConfigKey.integer("rss.a").defaultValue(1).doc("A.").build(),
              ConfigKey.integer("rss.b").defaultValue(1).doc("B.").build())
          .build();

  private final ShuffleStore store = new ShuffleStore(StoreConfig.DEFAULT);
  private final Decommission decommission =
      new Decommission(() -> store.shuffleCount() == 0, new NoSeal(), () -> 0);
  private final AtomicInteger flushes = new AtomicInteger();
  private Server server;
  private ManagedChannel channel;
  private ShuffleServerControlGrpc.ShuffleServerControlBlockingStub control;
  private volatile RuntimeException fault;

  @BeforeEach
  void start() throws IOException {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(
                new ControlService(
                    store,
                    new FakeReport(),
                    decommission,
                    new ConfigReload(
                        ConfigSet.of(SCHEMA, Map.of("rss.b", "2")),
                        () -> {
                          throw new ConfigException(List.of("a: wrong", "b: wrong too"));
                        },
                        changed -> {}),
                    () -> GetThreadsReply.newBuilder().setOmitted(3).build(),
                    flushes::incrementAndGet))
            .build()
            .start();
    channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
    control =
        ShuffleServerControlGrpc.newBlockingStub(channel).withDeadlineAfter(30, TimeUnit.SECONDS);
  }

  @AfterEach
  void stop() throws InterruptedException {
    channel.shutdownNow();
    server.shutdownNow();
    assertThat(server.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void startsAndCancelsADecommission() {
    assertThat(
            control
                .decommission(DecommissionRequest.newBuilder().setDeadlineMs(-1).build())
                .getStatus())
        .isEqualTo(Status.BAD_REQUEST);
    assertThat(decommission.isActive()).isFalse();

    assertThat(control.decommission(DecommissionRequest.getDefaultInstance()).getStatus())
        .isEqualTo(Status.OK);
    assertThat(decommission.isActive()).isTrue();

    assertThat(
            control
                .decommission(DecommissionRequest.newBuilder().setCancel(true).build())
                .getStatus())
        .isEqualTo(Status.OK);
    assertThat(decommission.isActive()).isFalse();
  }

  @Test
  void reportsErrorsOfAReloadedConfigurationInOneLine() {
    ReloadConfigurationReply reply =
        control.reloadConfiguration(ReloadConfigurationRequest.getDefaultInstance());

    assertThat(reply.getStatus()).isEqualTo(Status.BAD_REQUEST);
    assertThat(reply.getMessage()).isEqualTo("a: wrong; b: wrong too");
  }

  @Test
  void returnsTheConfigurationInUse() {
    assertThat(
            control.getConfiguration(GetConfigurationRequest.getDefaultInstance()).getEntriesList())
        .extracting(entry -> entry.getKey() + "=" + entry.getValue() + " " + entry.getSource())
        .containsExactly("rss.a=1 default", "rss.b=2 configuration");
  }

  @Test
  void returnsAThreadDump() {
    assertThat(control.getThreads(GetThreadsRequest.getDefaultInstance()).getOmitted())
        .isEqualTo(3);
  }

  @Test
  void aDrainingServerGetsNoAssignmentsAndFlushesItsMemory() {
    assertThat(control.decommission(DecommissionRequest.newBuilder().setStay(true).build()))
        .isEqualTo(DecommissionReply.newBuilder().setStatus(Status.OK).build());

    assertThat(decommission.isActive()).isTrue();
    assertThat(flushes).hasValue(1);
    decommission.check();
    decommission.check();
    assertThat(decommission.hasEnded()).isFalse();
  }

  private UnregisterShufflesReply unregister(String application, Integer... numbers) {
    return control.unregisterShuffles(
        UnregisterShufflesRequest.newBuilder()
            .setApplication(application)
            .addAllShuffles(List.of(numbers))
            .build());
  }

  private void store(String application, int... shuffles) throws SluiceException {
    for (int shuffle : shuffles) {
      store.findOrCreate(new ShuffleKey(application, shuffle));
    }
  }

  private List<ShuffleKey> stored() {
    return store.logs().stream().map(ShuffleLog::key).toList();
  }

  @Test
  void deletesTheNamedShufflesAndReturnsTheirNumber() throws Exception {
    store("app", 1, 2, 3);
    UnregisterShufflesReply reply = unregister("app", 1, 3, 9);
    assertThat(reply.getStatus()).isEqualTo(Status.OK);
    assertThat(reply.getRemoved()).isEqualTo(2);
    assertThat(stored()).containsExactly(new ShuffleKey("app", 2));
    assertThat(unregister("app", 1, 3).getRemoved()).as("idempotent").isZero();
    assertThat(unregister("stranger", 1).getRemoved()).isZero();
    assertThat(unregister("app").getRemoved()).as("none named").isZero();
    assertThat(stored()).containsExactly(new ShuffleKey("app", 2));
  }

  @Test
  void deletesAnApplication() throws Exception {
    store("app", 1, 2);
    store("other", 1);
    UnregisterShuffleApplicationRequest request =
        UnregisterShuffleApplicationRequest.newBuilder().setApplication("app").build();
    assertThat(control.unregisterShuffleApplication(request).getRemoved()).isEqualTo(2);
    assertThat(control.unregisterShuffleApplication(request).getRemoved()).isZero();
    assertThat(stored()).containsExactly(new ShuffleKey("other", 1));
  }

  @Test
  void aRequestWithoutAnApplicationIsABadRequest() {
    assertThat(unregister("", 1).getStatus()).isEqualTo(Status.BAD_REQUEST);
    assertThat(
            control
                .unregisterShuffleApplication(
                    UnregisterShuffleApplicationRequest.getDefaultInstance())
                .getStatus())
        .isEqualTo(Status.BAD_REQUEST);
  }

  @Test
  void statusIsTheServersReport() {
    GetStatusReply reply = control.getStatus(GetStatusRequest.getDefaultInstance());
    assertThat(reply.getState()).isEqualTo(ServerState.ACTIVE);
    assertThat(reply.getPushedBytes()).isEqualTo(42);
  }

  @Test
  void aBugIsAnsweredAsInternalNotAsAGrpcError() {
    fault = new IllegalStateException("broken");
    GetStatusReply reply = control.getStatus(GetStatusRequest.getDefaultInstance());
    assertThat(reply.getStatus()).isEqualTo(Status.INTERNAL);
    assertThat(reply.getMessage()).startsWith("GetStatus failed").doesNotContain("broken");
  }

  @Test
  void reportsProcessVitals() {
    ProcessVitals vitals = new ProcessVitals(new CertificateExpiry(List::of, Clock.systemUTC()));
    assertThat(vitals.certificateExpiryMs()).isZero();
    assertThat(vitals.cpuNanos()).isPositive();
    assertThat(vitals.heapUsedBytes()).isPositive().isLessThanOrEqualTo(vitals.heapMaxBytes());
  }

  private final class FakeReport implements ServerReport {
    @Override
    public ServerState state() {
      return ServerState.ACTIVE;
    }

    @Override
    public ServerLoad load() {
      return ServerLoad.getDefaultInstance();
    }

    @Override
    public GetStatusReply status() {
      if (fault != null) {
        throw fault;
      }
      return GetStatusReply.newBuilder().setState(state()).setPushedBytes(42).build();
    }
  }
}
