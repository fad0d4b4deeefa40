package io.sluice.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class ZoneTextTest {
  @Test
  void theConfigurationTakesPrecedenceOverTheEnvironment() {
    assertThat(ZoneText.of(Optional.of("a"), "b")).isEqualTo("a");
    assertThat(ZoneText.of(Optional.empty(), "b")).isEqualTo("b");
    assertThat(ZoneText.of(Optional.empty(), "")).as("a label that does not exist").isEmpty();
    assertThat(ZoneText.of(Optional.empty(), null)).isEmpty();
  }

  @Test
  void refusesOtherText() {
    assertThat(ZoneText.isName("eu-west-1a")).isTrue();
    assertThat(ZoneText.isName("rack 7")).isFalse();
    assertThat(ZoneText.isName("")).isFalse();
    assertThat(ZoneText.isName("z".repeat(65))).isFalse();
    assertThatThrownBy(() -> ZoneText.of(Optional.empty(), "/rack/7"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("RSS_ZONE")
        .hasMessageContaining("/rack/7");
  }
}
