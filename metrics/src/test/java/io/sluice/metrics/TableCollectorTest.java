package io.sluice.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.Counter;
import io.prometheus.client.Histogram;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TableCollectorTest {
  private static final MetricTable<String> WORDS =
      MetricTable.<String>of("p_", List.of("word"), List::of)
          .gauge("length", "Letters", String::length)
          .counter("uses_total", "Uses", unused -> 7)
          .build();

  private final CollectorRegistry registry = new CollectorRegistry();
  private final List<String> words = new ArrayList<>();

  private List<String> scraped() throws IOException {
    return MetricsText.of(registry, null).text().lines().toList();
  }

  @Test
  void readsItsRowsAtEachScrape() throws IOException {
    registry.register(new TableCollector<>(WORDS, () -> words));

    words.add("ab");
    assertThat(scraped())
        .contains("p_length{word=\"ab\",} 2.0", "p_uses_total{word=\"ab\",} 7.0")
        .hasSize(6);

    words.add("c");
    assertThat(scraped()).contains("p_length{word=\"c\",} 1.0").hasSize(8);
  }

  @Test
  void aTableWithoutRowsHasNoSamples() throws IOException {
    registry.register(new TableCollector<>(WORDS, () -> words));

    assertThat(scraped())
        .containsExactlyInAnyOrder(
            "# HELP p_length Letters",
            "# TYPE p_length gauge",
            "# HELP p_uses_total Uses",
            "# TYPE p_uses_total counter");
  }

  @Test
  void instrumentsHaveTheLabelsAndBucketsOfTheirMetric() throws IOException {
    Counter calls = Instruments.counter(Metric.counter("p_calls_total", "Calls", "call"));
    Histogram seconds =
        Instruments.histogram(Metric.histogram("p_call_seconds", "Time", List.of(0.5, 1.0)));
    registry.register(calls);
    registry.register(seconds);

    calls.labels("open").inc();
    seconds.observe(0.7);

    assertThat(scraped())
        .contains(
            "p_calls_total{call=\"open\",} 1.0",
            "p_call_seconds_bucket{le=\"0.5\",} 0.0",
            "p_call_seconds_bucket{le=\"1.0\",} 1.0",
            "p_call_seconds_bucket{le=\"+Inf\",} 1.0");
  }

  @Test
  void theScraperChoosesTheFormat() throws IOException {
    MetricsText text = MetricsText.of(registry, "application/openmetrics-text; version=1.0.0");

    assertThat(text.contentType()).startsWith("application/openmetrics-text");
    assertThat(text.text()).endsWith("# EOF\n");
    assertThat(MetricsText.of(registry, null).contentType()).startsWith("text/plain");
  }
}
