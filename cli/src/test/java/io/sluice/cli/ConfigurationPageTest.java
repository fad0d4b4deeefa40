package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ConfigurationPageTest {
  /** Tests run in their module's directory. */
  private static final Path ROOT = Path.of("..");

  @Test
  void theCheckedInPageIsCurrent() throws IOException {
    Path page = ROOT.resolve("docs/configuration.md");

    assertThat(Files.exists(page) ? Files.readString(page) : "")
        .withFailMessage(
            "docs/configuration.md is outdated; regenerate it with:%n"
                + "  ./sluice configuration > docs/configuration.md%n")
        .isEqualTo(CliRun.of("configuration").out());
  }

  @Test
  void everyKeyIsOnThePage() {
    String page = ConfigurationPage.render();

    assertThat(ConfigurationPage.schemas()).isNotEmpty();
    ConfigurationPage.schemas()
        .forEach(
            schema ->
                schema
                    .keys()
                    .forEach(
                        key ->
                            assertThat(page)
                                .contains("</a>`" + schema.shownPrefix() + key.name() + "` |")));
  }
}
