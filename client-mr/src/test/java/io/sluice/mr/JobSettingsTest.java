package io.sluice.mr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.client.LocalOutputMode;
import io.sluice.client.coordinator.ServedSettings;
import io.sluice.common.block.BlockCodec;
import io.sluice.common.config.ConfigException;
import io.sluice.proto.ClientConfigurationReply;
import io.sluice.proto.ClientSetting;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class JobSettingsTest {
  private final Configuration conf = new Configuration(false);

  @Test
  void readsKeysOfJobs() {
    conf.set("mapreduce.rss.coordinator.quorum", "one.example:19999,two.example:19998");
    conf.set("mapreduce.rss.local.output", "always");
    conf.set("mapreduce.job.reduces", "5");

    JobSettings settings = JobSettings.of(conf);

    assertThat(settings.hasCoordinator()).isTrue();
    assertThat(settings.client().coordinator().quorum()).hasSize(2);
    assertThat(settings.localOutput()).isEqualTo(LocalOutputMode.ALWAYS);
    assertThat(settings.notices()).isEmpty();
  }

  @Test
  void recordPlanesNeedACodecAndTheKeyOfRowPlanes() {
    assertThat(JobSettings.of(conf).recordPlanes()).isFalse();
    conf.set("mapreduce.rss.client.io.compression.codec", "lz4");
    assertThat(JobSettings.of(conf).recordPlanes()).isTrue();
    conf.set("mapreduce.rss.client.io.row.planes", "false");
    assertThat(JobSettings.of(conf).recordPlanes()).isFalse();
  }

  @Test
  void tasksHaveTheSettingsOfTheCoordinatorThatTheirMasterHas() {
    ServedSettings served =
        ServedSettings.fromText(
            Base64.getEncoder()
                .encodeToString(
                    ClientConfigurationReply.newBuilder()
                        .addSettings(
                            ClientSetting.newBuilder()
                                .setKey("rss.local.output")
                                .setValue("always"))
                        .build()
                        .toByteArray()));
    Map<String, String> environment = new HashMap<>();
    JobSettings.put(environment, served);

    assertThat(JobSettings.of(conf, served).localOutput()).isEqualTo(LocalOutputMode.ALWAYS);
    assertThat(JobSettings.ofTask(conf, environment).localOutput())
        .isEqualTo(LocalOutputMode.ALWAYS);
    assertThat(JobSettings.ofTask(conf, Map.of()).localOutput())
        .isEqualTo(LocalOutputMode.FALLBACK);
    conf.set("mapreduce.rss.local.output", "never");
    assertThat(JobSettings.ofTask(conf, environment).localOutput())
        .isEqualTo(LocalOutputMode.NEVER);
  }

  @Test
  void leavesCompressionToTheJobUnlessConfigured() {
    assertThat(JobSettings.of(conf).client().push().codec()).isEqualTo(BlockCodec.NONE);
    conf.set("mapreduce.rss.client.io.compression.codec", "lz4");
    assertThat(JobSettings.of(conf).client().push().codec()).isEqualTo(BlockCodec.LZ4);
  }

  @Test
  void hasALongRetryPeriodOnlyIfNodeManagersDoNotHaveTheOutput() {
    conf.set("mapreduce.rss.client.server.unreachable.timeout", "50s");
    assertThat(JobSettings.of(conf).client().push().connectionRetry().retryPeriodMs())
        .isEqualTo(50_000);
    assertThat(JobSettings.of(conf).client().read().retry().retryPeriodMs()).isEqualTo(50_000);

    conf.set("mapreduce.rss.local.output", "always");
    assertThat(JobSettings.of(conf).client().push().connectionRetry().retryPeriodMs())
        .isLessThan(10_000);
    assertThat(JobSettings.of(conf).client().read().retry().retryPeriodMs()).isLessThan(10_000);
  }

  @Test
  void readsPreferTheirZoneAlsoIfNodeManagersHaveTheOutput() {
    conf.set("mapreduce.rss.client.zone", "east");
    assertThat(JobSettings.of(conf).client().read().zone()).isEqualTo("east");

    conf.set("mapreduce.rss.local.output", "always");
    assertThat(JobSettings.of(conf).client().read().zone()).isEqualTo("east");
  }

  @Test
  void replacesVariables() {
    conf.set("where", "one.example:19999");
    conf.set("mapreduce.rss.coordinator.quorum", "${where}");
    assertThat(JobSettings.of(conf).hasCoordinator()).isTrue();
  }

  @Test
  void namesUnknownAndInvalidKeys() {
    conf.set("mapreduce.rss.unheard.of", "1");
    assertThat(JobSettings.of(conf).notices())
        .singleElement()
        .asString()
        .contains("mapreduce.rss.unheard.of");
    conf.set("mapreduce.rss.data.replica", "many");
    assertThatThrownBy(() -> JobSettings.of(conf))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("mapreduce.rss.data.replica");
  }
}
