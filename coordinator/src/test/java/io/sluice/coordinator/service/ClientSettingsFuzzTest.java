package io.sluice.coordinator.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.common.fuzz.DecoderFuzz;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

class ClientSettingsFuzzTest {
  @Test
  void parsesOrRefusesSettings() {
    DecoderFuzz.of(
            "# jobs\nspark.rss.client.read.x 5\nforce rss.a=b c\nmapreduce.rss.b = d\n",
            "spark.rss.writer.buffer.size\t64m\n")
        .words("\n", " ", "\t", "=", "#", "force ", "rss.", "spark.rss.", "rss.security.", "\u2028")
        .refusing(IllegalArgumentException.class)
        .run(
            input ->
                assertThat(ClientSettings.parse(new String(input, StandardCharsets.UTF_8)).all())
                    .allSatisfy(setting -> assertThat(setting.getValue()).isNotEmpty()));
  }

  @Test
  void refusesALineOfBlanksInLinearTime() {
    String line = "rss.a ".repeat(1 << 20) + "x\u2028y";
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () ->
            assertThatThrownBy(() -> ClientSettings.parse(line))
                .isInstanceOf(IllegalArgumentException.class));
  }
}
