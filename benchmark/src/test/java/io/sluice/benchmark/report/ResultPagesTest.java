package io.sluice.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.docs.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tables of pages are those of the stored results. */
class ResultPagesTest {
  private static final String REFRESH =
      "to refresh the pages: ./sluice bench report benchmark/results --html report.html"
          + " --page docs/performance.md --page docs/scale.md --page docs/reliability.md";

  @ParameterizedTest
  @ValueSource(strings = {"performance.md", "scale.md", "reliability.md"})
  void pageHasTheTablesOfTheResults(String name) throws IOException {
    Path root = Checkout.root();
    String page = Files.readString(root.resolve("docs").resolve(name));

    assertThat(PageTables.names(page)).isNotEmpty().doesNotHaveDuplicates();
    assertThat(PageTables.replace(page, ReportCommand.read(root.resolve("benchmark/results"))))
        .as(REFRESH)
        .isEqualTo(page);
  }
}
