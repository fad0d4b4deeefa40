package io.sluice.benchmark.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.docs.Checkout;
import io.sluice.common.docs.Example;
import io.sluice.common.docs.Examples;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every block of code in a page is marked with the way in which it is tested. */
class MarksTest {
  /** Programs of the system and of Kubernetes, and a filter for their output. */
  private static final Set<String> OF_THE_SYSTEM =
      Set.of(
          "kubectl", "helm", "systemctl", "journalctl", "docker", "apt", "apt-get", "dpkg", "jq");

  @Test
  void everyBlockIsTextOrHasALanguageAndAMark() {
    assertThat(Examples.all())
        .filteredOn(example -> example.mark().isEmpty())
        .as("blocks whose info string is neither \"text\" nor LANGUAGE run, check or show")
        .isEmpty();
  }

  @Test
  void noBlockIsMarkedByIndentationOnly() {
    assertThat(Examples.pages())
        .flatMap(page -> Examples.indentedCode(page, Checkout.lines(page)))
        .as("code without fences")
        .isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Example.Mark.class)
  void everyMarkIsUsed(Example.Mark mark) {
    assertThat(Examples.marked(mark)).isNotEmpty();
  }

  @Test
  void onlyScriptsRun() {
    assertThat(Examples.marked(Example.Mark.RUN, Example.Mark.SHOW))
        .allMatch(Example::isShell, "is a shell script");
  }

  @Test
  void blocksThatAreOnlyShownHaveCommandsOfTheSystem() {
    for (Example example : Examples.marked(Example.Mark.SHOW)) {
      List<ShellCommand> commands = ShellCommand.of(example);
      assertThat(commands).as(example.where()).isNotEmpty();
      assertThat(commands)
          .as(example.where() + ": mark it check if a command is not of the system")
          .allMatch(command -> OF_THE_SYSTEM.contains(program(command)));
      assertThat(CheckoutPaths.in(example))
          .as(example.where() + ": mark it check, because it names these paths")
          .isEmpty();
    }
  }

  private static String program(ShellCommand command) {
    boolean asRoot = command.program().equals("sudo") && command.words().size() > 1;
    return command.words().get(asRoot ? 1 : 0);
  }
}
