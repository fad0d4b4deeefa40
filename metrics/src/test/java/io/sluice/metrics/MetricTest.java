package io.sluice.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MetricTest {
  @Test
  void theUnitIsTheLastPartOfTheName() {
    assertThat(Metric.counter("a_read_bytes_total", "x").unit()).isEqualTo("bytes");
    assertThat(Metric.gauge("a_age_seconds", "x").unit()).isEqualTo("seconds");
    assertThat(Metric.counter("a_opens_total", "x").unit()).isEmpty();
  }

  @Test
  void refusesNamesAgainstTheConventions() {
    assertThatThrownBy(() -> Metric.counter("a_opens", "x")).hasMessageContaining("_total");
    assertThatThrownBy(() -> Metric.gauge("a_opens_total", "x")).hasMessageContaining("_total");
    assertThatThrownBy(() -> Metric.gauge("aOpens", "x")).hasMessageContaining("aOpens");
    assertThatThrownBy(() -> Metric.gauge("a_opens", "x.")).hasMessageContaining("full stop");
    assertThatThrownBy(() -> Metric.histogram("a_seconds", "x", List.of()))
        .hasMessageContaining("buckets");
  }

  @Test
  void aTableGivesASamplePerMetricAndRow() {
    MetricTable<String> table =
        MetricTable.<String>of("p_", List.of("word"), List::of)
            .gauge("length", "Letters", String::length)
            .counter("uses_total", "Uses", unused -> 7)
            .build();
    List<String> samples = new ArrayList<>();

    table.read(
        List.of("ab", "c"), (metric, labels, value) -> samples.add(metric.name() + labels + value));

    assertThat(samples)
        .containsExactly(
            "p_length[ab]2.0", "p_length[c]1.0", "p_uses_total[ab]7.0", "p_uses_total[c]7.0");
  }

  @Test
  void theLargestHaveSeparateRowsAndTheOthersShareOne() {
    Map<String, Long> sizes = Map.of("a", 1L, "b", 5L, "c", 3L, "d", 2L);

    assertThat(LargestTenants.of(sizes, 2, Long::longValue, Long::sum))
        .containsExactly(Map.entry("b", 5L), Map.entry("c", 3L), Map.entry("other", 3L));
    assertThat(LargestTenants.of(sizes, 4, Long::longValue, Long::sum)).doesNotContainKey("other");
  }

  @Test
  void aTenantThatIsCalledOtherSharesTheRow() {
    assertThat(LargestTenants.of(Map.of("other", 9L, "a", 1L), 1, Long::longValue, Long::sum))
        .containsExactly(Map.entry("other", 10L));
  }

  @Test
  void rendersAllPropertiesOfAMetric() {
    String page =
        MetricDocs.render(
            "# Metrics",
            List.of(
                new MetricDocs.Section(
                    "Server",
                    "Of a server.",
                    List.of(
                        Metric.histogram(
                            "a_push_seconds", "Time", List.of(0.00005, 1.0, 60.0), "kind")))));

    assertThat(page)
        .isEqualTo(
            """
            # Metrics

            ## Server

            Of a server.

            | metric | type | unit | labels | meaning |
            |---|---|---|---|---|
            | `a_push_seconds` | histogram | seconds | `kind` | Time. Buckets: 0.00005, 1, 60. |
            """);
  }

  @Test
  void theBuildKnowsItsJvm() {
    BuildInfo build = BuildInfo.ofThisProcess();

    assertThat(build.java()).isEqualTo(System.getProperty("java.version"));
    assertThat(build.version()).isNotEmpty().doesNotContain("$");
    assertThat(build.revision()).isNotEmpty().doesNotContain("$");
  }
}
