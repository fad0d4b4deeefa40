package io.sluice.coordinator.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.proto.ClientSetting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientSettingsTest {
  @Test
  void readsDefaultsAndForcedSettingsOfEveryEngine() {
    ClientSettings settings =
        ClientSettings.parse(
            """
            # For all jobs
            rss.client.send.size.limit   8m
            spark.rss.local.output=always
            force mapreduce.rss.client.type GRPC
            force rss.client.io.compression.codec = zstd
            """);
    assertThat(settings.all())
        .containsExactly(
            setting("rss.client.send.size.limit", "8m", false),
            setting("spark.rss.local.output", "always", false),
            setting("mapreduce.rss.client.type", "GRPC", true),
            setting("rss.client.io.compression.codec", "zstd", true));
  }

  private static ClientSetting setting(String key, String value, boolean forced) {
    return ClientSetting.newBuilder().setKey(key).setValue(value).setForced(forced).build();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "spark.rss.client.type|expected \"KEY VALUE\"",
        "spark.executor.memory 1g|expected a client key: spark.rss.…",
        "spark.rss.security.tls.enabled false|can be set by the job only",
        "rss.coordinator.quorum evil:1|can be set by the job only",
        "rss.client.type A~rss.client.type B|duplicate key"
      })
  void refusesInvalidSettings(String text, String problem) {
    assertThatThrownBy(() -> ClientSettings.parse(text.replace("~", "\n")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("line ")
        .hasMessageContaining(problem);
  }
}
