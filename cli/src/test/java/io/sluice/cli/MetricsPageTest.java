package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.metrics.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class MetricsPageTest {
  @Test
  void theCheckedInPageIsCurrent() throws IOException {
    // Tests run in their module's directory.
    Path page = Path.of("..", "docs/metrics.md");

    assertThat(Files.exists(page) ? Files.readString(page) : "")
        .withFailMessage(
            "docs/metrics.md is outdated; regenerate it with:%n"
                + "  ./sluice metrics > docs/metrics.md%n")
        .isEqualTo(CliRun.of("metrics").out());
  }

  @Test
  void everyMetricBelongsToItsProcessAndStandsThereOnce() {
    MetricsPage.sections()
        .forEach(
            section ->
                assertThat(section.metrics())
                    .extracting(Metric::name)
                    .doesNotHaveDuplicates()
                    .allMatch(name -> name.startsWith("sluice_")));
  }
}
