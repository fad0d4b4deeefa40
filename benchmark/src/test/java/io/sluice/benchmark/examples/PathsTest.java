package io.sluice.benchmark.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.docs.Checkout;
import io.sluice.common.docs.Example;
import io.sluice.common.docs.Examples;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every path in an example exists, and every option of a script of the checkout. */
class PathsTest {
  private static final Pattern OPTION = Pattern.compile("--[a-z][a-z-]*");

  @Test
  void pathsExist() {
    List<String> missing = new ArrayList<>();
    int paths = 0;
    for (Example example : Examples.marked(Example.Mark.RUN, Example.Mark.CHECK)) {
      for (String path : CheckoutPaths.in(example)) {
        paths++;
        if (!CheckoutPaths.exists(path)) {
          missing.add(example.where() + ": " + path);
        }
      }
    }
    assertThat(paths).isGreaterThan(15);
    assertThat(missing).as("paths that neither checkout nor distribution has").isEmpty();
  }

  @Test
  void scriptsHaveTheirOptions() {
    List<String> missing = new ArrayList<>();
    for (Example example : Examples.marked(Example.Mark.RUN, Example.Mark.CHECK)) {
      for (ShellCommand command : example.isShell() ? ShellCommand.of(example) : noCommands()) {
        unknownOptions(command).forEach(option -> missing.add(example.where() + ": " + option));
      }
    }
    assertThat(missing).as("options that scripts do not have").isEmpty();
  }

  private static List<ShellCommand> noCommands() {
    return List.of();
  }

  /** A script describes each of its options. The launcher passes options on. */
  private static List<String> unknownOptions(ShellCommand command) {
    Path script = Checkout.root().resolve(command.program());
    if (!command.program().contains("/")
        || command.program().endsWith("/sluice")
        || !Files.isRegularFile(script)) {
      return List.of();
    }
    String text = Checkout.text(command.program());
    return command.arguments().stream()
        .filter(OPTION.asMatchPredicate())
        .filter(option -> !Pattern.compile(option + "\\b(?!-)").matcher(text).find())
        .map(option -> command.program() + " " + option)
        .toList();
  }

  @Test
  void unknownOptionsAreFound() {
    ShellCommand command = ShellCommand.of("deploy/systemd/install --help --purg").get(0);
    assertThat(unknownOptions(command)).containsExactly("deploy/systemd/install --purg");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "conf/servers.conf",
        "deploy/helm/sluices",
        "clients/sluice-client-spark-3.4_2.12-<version>.jar",
        "sluice-client-spark-3.5_2.12-0.2.0.jar",
        "dist/target/sluice-0.1.0.tar.gz"
      })
  void missingPathsAreFound(String path) {
    assertThat(CheckoutPaths.in("x /opt/sluice/" + path + " y")).noneMatch(CheckoutPaths::exists);
    assertThat(CheckoutPaths.exists(path)).isFalse();
  }
}
