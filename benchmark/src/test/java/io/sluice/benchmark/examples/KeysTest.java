package io.sluice.benchmark.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.docs.Example;
import io.sluice.common.docs.Examples;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every configuration key in an example exists and has an effect. */
class KeysTest {
  /** Pages about keys of earlier versions and of other services. */
  private static final Set<String> ABOUT_OBSOLETE_KEYS = Set.of("docs/migrating.md");

  /** A line of a configuration file, an option or a value in YAML. */
  private static final Pattern SETTING =
      Pattern.compile("((?:spark\\.|mapreduce\\.)?rss\\.[\\w.-]*\\w)(?:=|: | +)([^\\s,}]\\S*)");

  @Test
  void keysExist() {
    List<String> unknown = new ArrayList<>();
    int keys = 0;
    for (Example example : Examples.marked(Example.Mark.RUN, Example.Mark.CHECK)) {
      for (String key : KnownKeys.in(example.text())) {
        keys++;
        boolean obsolete =
            ABOUT_OBSOLETE_KEYS.contains(example.page()) && KnownKeys.isObsolete(key);
        // Programs with the client have its keys without the prefix of an engine.
        boolean ofClient = example.language().equals("java") && KnownKeys.has("spark." + key);
        if (!KnownKeys.has(key) && !obsolete && !ofClient) {
          unknown.add(example.where() + ": " + key);
        }
      }
    }
    assertThat(keys).isGreaterThan(20);
    assertThat(unknown).as("keys that no process or job has").isEmpty();
  }

  @Test
  void settingsHaveValuesThatTheirKeysAccept() {
    List<String> wrong = new ArrayList<>();
    int settings = 0;
    for (Example example : Examples.marked(Example.Mark.RUN, Example.Mark.CHECK)) {
      Matcher setting = SETTING.matcher(example.text());
      while (setting.find()) {
        settings++;
        if (!KnownKeys.accepts(setting.group(1), setting.group(2))) {
          wrong.add(example.where() + ": " + setting.group());
        }
      }
    }
    assertThat(settings).isGreaterThan(20);
    assertThat(wrong).as("values that a key does not accept").isEmpty();
  }

  @Test
  void unknownKeysAreFound() {
    assertThat(KnownKeys.in("-D rss.server.buffer.capacity=64m rss.x.\nspark.rss.y /etc/rss.z"))
        .containsExactly("rss.server.buffer.capacity", "rss.x", "spark.rss.y");
    assertThat(KnownKeys.has("rss.server.buffer.capacity")).isTrue();
    assertThat(KnownKeys.has("rss.server.hadoop.fs.s3a.endpoint")).isTrue();
    assertThat(KnownKeys.has("mapreduce.rss.coordinator.quorum")).isTrue();
    assertThat(KnownKeys.has("spark.rss.server.buffer.capacity")).isFalse();
    assertThat(KnownKeys.has("rss.server.buffer.capacitys")).isFalse();
    assertThat(KnownKeys.accepts("rss.server.buffer.capacity", "64m")).isTrue();
    assertThat(KnownKeys.accepts("rss.server.buffer.capacity", "64 men")).isFalse();
    assertThat(KnownKeys.accepts("spark.rss.local.output", "often")).isFalse();
  }
}
