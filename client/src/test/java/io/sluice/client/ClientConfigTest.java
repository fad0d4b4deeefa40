package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.server.RetryPolicy;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.config.ConfigException;
import io.sluice.common.config.ConfigReader;
import io.sluice.common.config.ConfigSet;
import io.sluice.common.config.HostPort;
import io.sluice.common.net.IoMode;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ClientConfigTest {
  private static ConfigSet read(Map<String, String> values) {
    return ConfigReader.of(ClientConfig.SCHEMA)
        .enginePrefix("spark.")
        .values("Spark configuration", values)
        .read();
  }

  @Test
  void acceptsAUniffleConfigurationUnchanged() {
    ConfigSet set =
        read(
            Map.ofEntries(
                Map.entry("spark.rss.coordinator.quorum", "c1:19999,c2:19999"),
                Map.entry("spark.rss.storage.type", "MEMORY_LOCALFILE"),
                Map.entry("spark.rss.writer.buffer.spill.size", "1g"),
                Map.entry("spark.rss.writer.buffer.size", "16m"),
                Map.entry("spark.rss.client.send.size.limit", "32m"),
                Map.entry("spark.rss.client.rpc.maxAttempts", "50"),
                Map.entry("spark.rss.resubmit.stage", "false"),
                Map.entry("spark.rss.client.type", "GRPC_NETTY"),
                Map.entry("spark.rss.client.netty.io.mode", "EPOLL"),
                Map.entry("spark.executor.memory", "4g")));
    ClientConfig config = ClientConfig.from(set);

    assertThat(config.coordinator().quorum())
        .containsExactly(new HostPort("c1", 19999), new HostPort("c2", 19999));
    assertThat(config.writer().spillBytes()).isEqualTo(1L << 30);
    assertThat(config.writer().blockBytes()).isEqualTo(1 << 20);
    assertThat(config.push().frameBytes()).isEqualTo(4 << 20);
    assertThat(config.read().retry().maxAttempts()).isEqualTo(50);
    assertThat(config.connection().kind()).isEqualTo(TransportKind.GRPC_NETTY);
    assertThat(config.connection().transport().ioMode()).isEqualTo(IoMode.EPOLL);
    assertThat(set.notices())
        .hasSize(2)
        .anyMatch(line -> line.contains("spark.rss.storage.type has no effect"))
        .anyMatch(line -> line.contains("spark.rss.resubmit.stage has no effect"));
  }

  @Test
  void suggestsTheNearestKeyForAMisspelledOne() {
    assertThat(read(Map.of("spark.rss.cordinator.quorum", "c:1")).notices())
        .singleElement()
        .asString()
        .contains("unknown key spark.rss.cordinator.quorum")
        .contains("did you mean spark.rss.coordinator.quorum?");
  }

  @Test
  void usesTheEnginesCodecUnlessOneIsSet() {
    ConfigSet unset = read(Map.of());
    assertThat(ClientConfig.from(unset).push().codec()).isEqualTo(BlockCodec.LZ4);
    assertThat(ClientConfig.from(unset, BlockCodec.SNAPPY).push().codec())
        .isEqualTo(BlockCodec.SNAPPY);
    ConfigSet set = read(Map.of("spark.rss.client.io.compression.codec", "NOOP"));
    assertThat(ClientConfig.from(set, BlockCodec.SNAPPY).push().codec()).isEqualTo(BlockCodec.NONE);
  }

  @Test
  void refusesAQuorumLargerThanTheReplicas() {
    assertThatThrownBy(() -> read(Map.of("spark.rss.data.replica.write", "2")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("rss.data.replica.write=2 exceeds rss.data.replica=1");
  }

  @Test
  void allowsAtLeastOneFrameInFlight() {
    ClientConfig config =
        ClientConfig.from(
            read(
                Map.of(
                    "spark.rss.client.send.in.flight.size", "64k",
                    "spark.rss.client.send.size.limit", "1m")));

    assertThat(config.push().inFlightBytes()).isEqualTo(1 << 20);
  }

  @Test
  void doublesTheDelayAtEachAttempt() {
    RetryPolicy policy = new RetryPolicy(9, 50, 1000, 60_000);

    assertThat(policy.delayMs(1)).isEqualTo(50);
    assertThat(policy.delayMs(2)).isEqualTo(100);
    assertThat(policy.delayMs(5)).isEqualTo(800);
    assertThat(policy.delayMs(6)).isEqualTo(1000);
    assertThat(policy.delayMs(4000)).isEqualTo(1000);
  }
}
