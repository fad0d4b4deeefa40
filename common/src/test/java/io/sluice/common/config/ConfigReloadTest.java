package io.sluice.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ConfigReloadTest {
  private static final ConfigKey<Integer> RELOADABLE =
      ConfigKey.integer("rss.reloadable").defaultValue(1).reloadable().doc("l").build();
  private static final ConfigKey<Integer> FIXED =
      ConfigKey.integer("rss.fixed").defaultValue(10).doc("f").build();
  private static final ConfigKey<String> SECRET =
      ConfigKey.string("rss.hidden").secret().doc("s").build();
  private static final ConfigSchema SCHEMA =
      ConfigSchema.builder("test")
          .title("Test")
          .keys(RELOADABLE, FIXED, SECRET)
          .rule(
              set ->
                  set.get(RELOADABLE) < set.get(FIXED)
                      ? Optional.empty()
                      : Optional.of("rss.reloadable must be less than rss.fixed"))
          .build();

  private final List<Integer> applied = new ArrayList<>();
  private Map<String, String> file = Map.of();
  private final ConfigReload reload =
      new ConfigReload(read(), this::read, set -> applied.add(set.get(RELOADABLE)));

  private ConfigSet read() {
    return ConfigSet.of(SCHEMA, file);
  }

  @Test
  void appliesReloadableKeysAndReportsOthersUntilARestart() {
    file = Map.of("rss.reloadable", "2", "rss.fixed", "20");

    ConfigReload.Outcome first = reload.reload();
    ConfigReload.Outcome second = reload.reload();

    assertThat(applied).containsExactly(2);
    assertThat(first.applied()).containsExactly(new ConfigChange("rss.reloadable", "1", "2", true));
    assertThat(first.restartNeeded())
        .containsExactly(new ConfigChange("rss.fixed", "10", "20", false));
    assertThat(second.applied()).isEmpty();
    assertThat(second.restartNeeded()).isEqualTo(first.restartNeeded());
  }

  @Test
  void aRemovedKeyHasItsDefaultAgain() {
    file = Map.of("rss.reloadable", "5");
    reload.reload();
    file = Map.of();

    reload.reload();

    assertThat(applied).containsExactly(5, 1);
  }

  @Test
  void showsTheValuesInUse() {
    file = Map.of("rss.reloadable", "5", "rss.fixed", "20", "rss.hidden", "hunter2");

    reload.reload();

    assertThat(reload.entries())
        .containsExactly(
            new ConfigEntry("rss.reloadable", "5", "configuration"),
            new ConfigEntry("rss.fixed", "10", "default"),
            new ConfigEntry("rss.hidden", "", "default"));
    assertThat(new ConfigReload(null, this::read, set -> {}).entries()).isEmpty();
  }

  @Test
  void aBrokenFileChangesNothing() {
    file = Map.of("rss.reloadable", "x");

    assertThatThrownBy(reload::reload)
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("rss.reloadable");

    assertThat(applied).isEmpty();
    file = Map.of("rss.reloadable", "3");
    assertThat(reload.reload().applied()).hasSize(1);
  }

  @Test
  void valuesThatBreakARuleChangeNothing() {
    file = Map.of("rss.reloadable", "15", "rss.fixed", "20");

    assertThatThrownBy(reload::reload).hasMessage("rss.reloadable must be less than rss.fixed");

    assertThat(applied).isEmpty();
  }

  @Test
  void aSecretIsNeverPrinted() {
    file = Map.of("rss.hidden", "hunter2");

    assertThat(reload.reload().toString()).contains("rss.hidden").doesNotContain("hunter2");
  }
}
