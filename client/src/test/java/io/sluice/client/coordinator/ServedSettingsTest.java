package io.sluice.client.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.sluice.client.ClientConfig;
import io.sluice.common.config.ConfigSet;
import io.sluice.proto.ClientConfigurationReply;
import io.sluice.proto.ClientConfigurationRequest;
import io.sluice.proto.ClientSetting;
import io.sluice.proto.CoordinatorGrpc;
import java.net.InetSocketAddress;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServedSettingsTest {
  private static final ClientConfigurationReply REPLY =
      ClientConfigurationReply.newBuilder()
          .addSettings(setting("rss.client.send.size.limit", "1m", false))
          .addSettings(setting("rss.client.type", "GRPC_NETTY", true))
          .addSettings(setting("spark.rss.client.send.size.limit", "2m", false))
          .addSettings(setting("mapreduce.rss.local.output", "always", false))
          .addSettings(setting("spark.rss.security.tls.enabled", "false", true))
          .addSettings(setting("rss.coordinator.quorum", "evil:1", true))
          .addSettings(setting("spark.executor.memory", "9g", true))
          .build();

  private static ClientSetting setting(String key, String value, boolean forced) {
    return ClientSetting.newBuilder().setKey(key).setValue(value).setForced(forced).build();
  }

  private final ServedSettings served = ServedSettings.of(REPLY);

  @Test
  void returnsCommonSettingsAndThoseOfTheEngineWithoutSecurityAndCoordinators() {
    assertThat(served.changes("spark.", Map.of()))
        .containsOnly(
            Map.entry("spark.rss.client.send.size.limit", "2m"),
            Map.entry("spark.rss.client.type", "GRPC_NETTY"));
    assertThat(served.changes("mapreduce.", Map.of()))
        .containsOnly(
            Map.entry("mapreduce.rss.client.send.size.limit", "1m"),
            Map.entry("mapreduce.rss.client.type", "GRPC_NETTY"),
            Map.entry("mapreduce.rss.local.output", "always"));
  }

  @Test
  void settingsOfTheJobTakePrecedenceUnlessForced() {
    assertThat(
            served.changes(
                "spark.",
                Map.of("spark.rss.client.send.size.limit", "3m", "spark.rss.client.type", "GRPC")))
        .containsOnly(Map.entry("spark.rss.client.type", "GRPC_NETTY"));
    assertThat(served.changes("spark.", served.changes("spark.", Map.of())))
        .as("settings that are already applied")
        .isEmpty();
  }

  @Test
  void encodesAsText() {
    assertThat(ServedSettings.fromText(served.toText()).changes("spark.", Map.of()))
        .isEqualTo(served.changes("spark.", Map.of()));
    assertThat(ServedSettings.fromText(null).isEmpty()).isTrue();
    assertThatThrownBy(() -> ServedSettings.fromText("%".repeat(100_000)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("malformed settings from the coordinator, characters=100000");
  }

  private static ServedSettings fetch(CoordinatorGrpc.CoordinatorImplBase coordinator, String more)
      throws Exception {
    Server server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addService(coordinator)
            .build()
            .start();
    try {
      Map<String, String> values =
          Map.of(
              "rss.coordinator.quorum",
              "127.0.0.1:" + server.getPort(),
              "rss.dynamicClientConf.enabled",
              more);
      return ServedSettings.fetch(
          ClientConfig.from(ConfigSet.of(ClientConfig.SCHEMA, values)),
          "me",
          Map.of(),
          System::nanoTime);
    } finally {
      server.shutdownNow();
    }
  }

  private static final class Serving extends CoordinatorGrpc.CoordinatorImplBase {
    @Override
    public void clientConfiguration(
        ClientConfigurationRequest request, StreamObserver<ClientConfigurationReply> observer) {
      observer.onNext(REPLY);
      observer.onCompleted();
    }
  }

  @Test
  void requestsSettingsUnlessTheJobDisablesThem() throws Exception {
    assertThat(fetch(new Serving(), "true").changes("spark.", Map.of())).hasSize(2);
    assertThat(fetch(new Serving(), "false").isEmpty()).isTrue();
  }

  @Test
  void continuesWithoutSettingsIfTheCoordinatorIsOlder() throws Exception {
    assertThat(fetch(new CoordinatorGrpc.CoordinatorImplBase() {}, "true").isEmpty()).isTrue();
  }
}
