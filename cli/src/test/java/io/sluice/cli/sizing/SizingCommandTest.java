package io.sluice.cli.sizing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.CliRun;
import io.sluice.common.config.ConfigKey;
import io.sluice.server.ServerConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class SizingCommandTest {
  /** Tests run in their module's directory. */
  private static final Path PAGE = Path.of("..", "docs", "sizing.md");

  private static final String COMMAND = "./sluice ";
  private static final List<String> EXAMPLE =
      List.of(
          "sizing",
          "--per-day",
          "160t",
          "--peak",
          "12g",
          "--executors",
          "800",
          "--cores",
          "8",
          "--memory",
          "64g",
          "--network",
          "25",
          "--disks",
          "2",
          "--disk-size",
          "1770g",
          "--disk-speed",
          "1907m");

  @Test
  void exampleInTheDocumentationMatchesTheOutput() throws IOException {
    List<String> lines = Files.readAllLines(PAGE);
    int at = 0;
    while (!lines.get(at).startsWith(COMMAND + "sizing")) {
      at++;
    }
    StringBuilder command = new StringBuilder(lines.get(at).substring(COMMAND.length()));
    while (command.charAt(command.length() - 1) == '\\') {
      at++;
      command.setLength(command.length() - 1);
      command.append(lines.get(at));
    }
    List<String> shown = new ArrayList<>();
    int output = lines.indexOf("```text");
    assertThat(output).isGreaterThan(at);
    for (at = output + 1; !lines.get(at).equals("```"); at++) {
      shown.add(lines.get(at));
    }

    CliRun run = CliRun.of(command.toString().trim().split("\\s+"));

    assertThat(run.err()).isEmpty();
    assertThat(run.out().lines()).containsExactlyElementsOf(shown);
  }

  @Test
  void printsThePlanAsJson() {
    List<String> arguments = new ArrayList<>(EXAMPLE);
    arguments.addAll(List.of("--output", "json"));

    CliRun run = CliRun.of(arguments.toArray(String[]::new));

    assertThat(run.err()).isEmpty();
    JsonNode plan = JsonMapper.shared().readTree(run.out());
    assertThat(plan.path("servers").asInt()).isEqualTo(13);
    assertThat(plan.path("bottleneck").asString()).isEqualTo("NETWORK");
    assertThat(plan.path("eachServer").path("bufferBytes").asLong()).isEqualTo(19L << 30);
    assertThat(plan.path("settings").get(0).path("name").asString()).isEqualTo("XMX_SIZE");
  }

  @Test
  void settingsOfServersAreKnownKeys() {
    List<String> known = ServerConfig.SCHEMA.keys().stream().map(ConfigKey::name).toList();

    assertThat(known)
        .contains(
            "rss.server.buffer.capacity",
            "rss.server.connections.max",
            "rss.server.recovery.timeout");
  }

  @Test
  void requiresExactlyOneOfPerDayAndPerHour() {
    List<String> arguments = new ArrayList<>(EXAMPLE);
    arguments.addAll(List.of("--per-hour", "1t"));
    assertThat(CliRun.of(arguments.toArray(String[]::new)).exitCode()).isEqualTo(2);

    CliRun neither = CliRun.of("sizing", "--cores", "8");
    assertThat(neither.exitCode()).isEqualTo(2);
    assertThat(neither.err()).startsWith("sluice sizing: ");
  }

  @Test
  void namesTheInvalidOption() {
    List<String> arguments = new ArrayList<>(EXAMPLE);
    arguments.addAll(List.of("--replicas", "0"));

    CliRun run = CliRun.of(arguments.toArray(String[]::new));

    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).startsWith("sluice sizing: --replicas: expected 1 to 16\n");
  }
}
