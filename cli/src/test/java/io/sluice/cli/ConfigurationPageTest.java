package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigurationPageTest {
  /** Tests run in their module's directory. */
  private static final Path ROOT = Path.of("..");

  @Test
  void theCheckedInPageIsCurrent() throws IOException {
    Path page = ROOT.resolve("docs/configuration.md");

    assertThat(Files.exists(page) ? Files.readString(page) : "")
        .withFailMessage(
            "docs/configuration.md is not what the code declares; refresh it with:%n"
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
                                .contains("| `" + schema.shownPrefix() + key.name() + "` |")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"coordinator", "server"})
  void theSampleIsRightAndGivesNoNotice(String service) {
    Path sample = ROOT.resolve("conf/" + service + ".conf");

    CliRun run = CliRun.of(service, "--check", "--conf", sample.toString());

    assertThat(run.err()).isEmpty();
    assertThat(run.exitCode()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"coordinator", "server"})
  void theSettingsThatTheSampleCommentsOutAreRightToo(String service) throws IOException {
    String[] settings;
    try (Stream<String> lines = Files.lines(ROOT.resolve("conf/" + service + ".conf"))) {
      settings =
          lines
              .filter(line -> line.startsWith("# rss.") || line.startsWith("rss."))
              .map(line -> line.replaceFirst("^# ", "").strip().split("\\s+", 2))
              .flatMap(words -> Stream.of("-D", words[0] + "=" + words[1]))
              .toArray(String[]::new);
    }
    String[] args =
        Stream.concat(Stream.of(service, "--check"), Stream.of(settings)).toArray(String[]::new);

    assertThat(CliRun.of(args)).isEqualTo(new CliRun(0, "", ""));
  }
}
