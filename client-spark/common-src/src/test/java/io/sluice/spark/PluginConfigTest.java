package io.sluice.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.LocalOutputMode;
import io.sluice.client.TransportKind;
import io.sluice.client.coordinator.ServedSettings;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.config.ConfigException;
import io.sluice.common.net.IoMode;
import io.sluice.proto.ClientConfigurationReply;
import io.sluice.proto.ClientSetting;
import java.util.Base64;
import java.util.List;
import org.apache.spark.SparkConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PluginConfigTest {
  private final SparkConf conf = new SparkConf(false).set("spark.rss.coordinator.quorum", "c1:1");

  @Test
  void acceptsTheConfigurationOfAUniffleUser() {
    conf.set("spark.rss.coordinator.quorum", "c1:19999,c2:19999")
        .set("spark.rss.storage.type", "MEMORY_LOCALFILE")
        .set("spark.rss.writer.buffer.spill.size", "1g")
        .set("spark.rss.writer.buffer.size", "16m")
        .set("spark.rss.client.send.size.limit", "32m")
        .set("spark.rss.client.rpc.maxAttempts", "50")
        .set("spark.rss.resubmit.stage", "false")
        .set("spark.rss.client.type", "GRPC_NETTY")
        .set("spark.rss.client.netty.io.mode", "EPOLL");

    PluginConfig config = PluginConfig.of(conf);

    assertThat(config.client().coordinator().quorum()).hasSize(2);
    assertThat(config.spillBytes()).isEqualTo(1L << 30);
    assertThat(config.client().connection().kind()).isEqualTo(TransportKind.GRPC_NETTY);
    assertThat(config.client().connection().transport().ioMode()).isEqualTo(IoMode.EPOLL);
    assertThat(config.client().read().retry().maxAttempts()).isEqualTo(50);
    assertThat(linesOf(config, "spark.rss.storage.type")).hasSize(1);
    assertThat(linesOf(config, "spark.rss.resubmit.stage")).hasSize(1);
    assertThat(config.notices()).hasSize(2);
  }

  @Test
  void reportsAMisspeltKeyOnceWithTheMostSimilarKey() {
    conf.set("spark.rss.client.sned.size.limit", "1m").set("spark.other.key", "1");

    PluginConfig config = PluginConfig.of(conf);

    assertThat(config.notices())
        .singleElement()
        .asString()
        .contains("spark.rss.client.sned.size.limit")
        .contains("spark.rss.client.send.size.limit");
  }

  private static ServedSettings served(String key, String value) {
    return ServedSettings.fromText(
        Base64.getEncoder()
            .encodeToString(
                ClientConfigurationReply.newBuilder()
                    .addSettings(ClientSetting.newBuilder().setKey(key).setValue(value))
                    .build()
                    .toByteArray()));
  }

  @Test
  void addsSettingsOfTheCoordinatorToSparksConfiguration() {
    PluginConfig.applyServed(conf, served("rss.local.output", "always"));

    assertThat(conf.get("spark.rss.local.output")).isEqualTo("always");
    assertThat(PluginConfig.of(conf).localOutput()).isEqualTo(LocalOutputMode.ALWAYS);
  }

  @Test
  void ignoresInvalidSettingsOfTheCoordinator() {
    PluginConfig.applyServed(conf, served("rss.local.output", "sometimes"));

    assertThat(conf.contains("spark.rss.local.output")).isFalse();
  }

  @Test
  void refusesAnInvalidValue() {
    conf.set("spark.rss.client.type", "PIGEON");

    assertThatThrownBy(() -> PluginConfig.of(conf))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("spark.rss.client.type")
        .hasMessageContaining("PIGEON");
  }

  @ParameterizedTest
  @CsvSource({
    "lz4, true, LZ4, 0",
    "zstd, true, ZSTD, 0",
    "snappy, true, SNAPPY, 0",
    "org.apache.spark.io.ZStdCompressionCodec, true, ZSTD, 0",
    "lz4, false, NONE, 0",
    "lzf, true, LZ4, 1",
    "com.example.MyCodec, true, LZ4, 1",
  })
  void usesTheCodecOfSpark(String codec, boolean compress, BlockCodec expected, int notices) {
    conf.set("spark.io.compression.codec", codec)
        .set("spark.shuffle.compress", Boolean.toString(compress));

    PluginConfig config = PluginConfig.of(conf);

    assertThat(config.client().push().codec()).isEqualTo(expected);
    assertThat(config.notices()).hasSize(notices);
  }

  @Test
  void codecAndLevelOfSluiceOverrideThoseOfSpark() {
    conf.set("spark.io.compression.codec", "lz4").set("spark.io.compression.zstd.level", "7");
    assertThat(PluginConfig.of(conf).client().push().zstdLevel()).isEqualTo(7);

    conf.set("spark.rss.client.io.compression.codec", "ZSTD")
        .set("spark.rss.client.io.compression.zstd.level", "5");
    PluginConfig config = PluginConfig.of(conf);

    assertThat(config.client().push().codec()).isEqualTo(BlockCodec.ZSTD);
    assertThat(config.client().push().zstdLevel()).isEqualTo(5);
  }

  @Test
  void hasTheStreamLimitOfTheBuiltInShuffle() {
    assertThat(PluginConfig.of(conf).maxOpenStreams()).isEqualTo(200);

    conf.set("spark.shuffle.sort.bypassMergeThreshold", "7");

    assertThat(PluginConfig.of(conf).maxOpenStreams()).isEqualTo(7);
  }

  @Test
  void namesApplicationsWithinWhatServersAllow() {
    assertThat(PluginConfig.applicationName("app-2026-0001", 17)).isEqualTo("app-2026-0001_17");
    assertThat(PluginConfig.applicationName("spark/é b", 17)).isEqualTo("spark---b_17");
    assertThat(PluginConfig.applicationName("a".repeat(400), 1_795_000_000_000L))
        .hasSize(256)
        .endsWith("a_1795000000000");
  }

  private static List<String> linesOf(PluginConfig config, String key) {
    return config.notices().stream().filter(line -> line.contains(key)).toList();
  }
}
