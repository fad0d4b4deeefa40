package io.sluice.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.cli.control.ExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/**
 * Checks that exit codes have the same meaning in code, help texts, systemd units and the
 * operations guide.
 */
class ExitCodeTest {
  private static final Set<Integer> KNOWN =
      Arrays.stream(ExitCode.values()).map(ExitCode::status).collect(Collectors.toSet());

  private static final Pattern GUIDE_ROW = Pattern.compile("(?m)^\\| (\\d+) \\|");

  @Test
  void everyCodeHasItsOwnNumber() {
    assertThat(KNOWN).hasSameSizeAs(ExitCode.values());
  }

  @Test
  void theOperationsGuideListsExactlyTheseCodes() throws IOException {
    String guide = Files.readString(Path.of("../docs/operations.md"));
    String section = guide.substring(guide.indexOf("\n## Exit codes\n") + 1);
    section = section.substring(0, section.indexOf("\n## "));

    List<Integer> listed =
        GUIDE_ROW
            .matcher(section)
            .results()
            .map((MatchResult row) -> Integer.valueOf(row.group(1)))
            .toList();

    assertThat(listed).isEqualTo(Arrays.stream(ExitCode.values()).map(ExitCode::status).toList());
  }

  @Test
  void noCommandDeclaresAnotherCode() {
    Map<String, Set<Integer>> declared = new TreeMap<>();
    collect(
        SluiceCommand.commandLine(
            new PrintWriter(new StringWriter()), new PrintWriter(new StringWriter())),
        declared);

    assertThat(declared).containsKeys("sluice server", "sluice coordinator", "sluice admin");
    declared.forEach((command, codes) -> assertThat(KNOWN).as(command).containsAll(codes));
    assertThat(declared.get("sluice server")).contains(ExitCode.DECOMMISSIONED.status());
  }

  private static void collect(CommandLine command, Map<String, Set<Integer>> into) {
    Set<Integer> codes = new TreeSet<>();
    command
        .getCommandSpec()
        .usageMessage()
        .exitCodeList()
        .forEach((code, meaning) -> codes.add(Integer.valueOf(code.strip())));
    into.put(command.getCommandSpec().qualifiedName(), codes);
    command.getSubcommands().values().forEach(sub -> collect(sub, into));
  }

  @Test
  void unitsDoNotRestartAfterConfigurationErrorsAndDecommissions() throws IOException {
    Set<Integer> configuration = Set.of(ExitCode.WRONG_USAGE.status());
    Set<Integer> decommissioned = Set.of(ExitCode.DECOMMISSIONED.status());

    assertThat(statuses("coordinator", "RestartPreventExitStatus")).isEqualTo(configuration);
    assertThat(statuses("coordinator", "SuccessExitStatus")).isEmpty();
    assertThat(statuses("server", "RestartPreventExitStatus"))
        .hasSize(2)
        .containsAll(configuration)
        .containsAll(decommissioned);
    assertThat(statuses("server", "SuccessExitStatus")).isEqualTo(decommissioned);
  }

  private static Set<Integer> statuses(String service, String setting) throws IOException {
    Path unit = Path.of("../deploy/systemd/sluice-" + service + ".service");
    assertThat(Files.readAllLines(unit)).contains("Restart=on-failure");
    return Files.readAllLines(unit).stream()
        .filter(line -> line.startsWith(setting + "="))
        .flatMap(line -> Arrays.stream(line.substring(setting.length() + 1).split(" ")))
        .map(Integer::valueOf)
        .collect(Collectors.toSet());
  }
}
