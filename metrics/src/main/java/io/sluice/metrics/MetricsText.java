package io.sluice.metrics;

import io.prometheus.client.CollectorRegistry;
import io.prometheus.client.exporter.common.TextFormat;
import java.io.IOException;
import java.io.StringWriter;

/**
 * Result of a scrape.
 *
 * @param contentType content type of the requested text format, Prometheus or OpenMetrics
 */
public record MetricsText(String contentType, String text) {
  /**
   * Reads every metric.
   *
   * @param accepted Accept header of the request, or null
   */
  public static MetricsText of(CollectorRegistry registry, String accepted) throws IOException {
    String type = TextFormat.chooseContentType(accepted);
    StringWriter text = new StringWriter();
    TextFormat.writeFormat(type, text, registry.metricFamilySamples());
    return new MetricsText(type, text.toString());
  }
}
